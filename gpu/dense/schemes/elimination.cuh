// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of all schemes. Every entry sees the same operations in the same order, whatever
// kernel computes it, so that their results are equal bit by bit:
//   l = a / pivot, rounded once; under a zero pivot a stays as it is, as in LAPACK's getf2;
//   a - l u as one fused operation, for pivots 0, 1, 2, ... in turn.
#pragma once

namespace lufact::gpu::schemes {

template <class Real>
__device__ Real multiplier(Real entry, Real pivot) {
  return entry / (pivot == Real{0} ? Real{1} : pivot);
}

template <class Real>
__device__ Real eliminated(Real entry, Real l, Real u) {
  return fma(-l, u, entry);
}

}  // namespace lufact::gpu::schemes
