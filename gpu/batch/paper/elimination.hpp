// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of all kernels of the paper. Every entry sees the same operations in the same
// order, whatever kernel computes it, so that their results are equal bit by bit:
//   l = a / pivot, rounded once; under a zero pivot a stays as it is, as in LAPACK's getf2;
//   a - l u as one fused operation, for pivots 0, 1, 2, ... in turn.
// Algorithm 1 of BATCH multiplies by 1 / pivot. Where a thread scales one entry, a division costs
// the same, and the reciprocal of a small pivot cannot overflow.
#pragma once
#include <cmath>

#include "gpu/batch/paper/lanes.hpp"

namespace lufact::gpu::paper {

template <class Real>
LUFACT_LANES Real multiplier(Real entry, Real pivot, bool zero_pivot) {
  return entry / (zero_pivot ? Real{1} : pivot);
}

template <class Real>
LUFACT_LANES Real eliminated(Real entry, Real l, Real u) {
  return std::fma(-l, u, entry);
}

// 1 / pivot for a thread that divides many entries: y / pivot is (y * reciprocal) * scale, with
// `scale` a power of two that keeps the reciprocal of the smallest and largest numbers normal.
template <class Real>
struct PivotReciprocal {
  Real reciprocal, scale;

  LUFACT_LANES Real divide(Real y) const { return (y * reciprocal) * scale; }
};

template <class Real>
LUFACT_LANES PivotReciprocal<Real> reciprocal_of(Real pivot) {
  constexpr Real least = sizeof(Real) == 8 ? Real(0x1p-1022) : Real(0x1p-126);
  constexpr Real step = sizeof(Real) == 8 ? Real(0x1p64) : Real(0x1p32);
  const Real size = std::fabs(pivot);
  const Real scale = size < least ? step : size > 1 / least ? 1 / step : Real{1};
  return {1 / (pivot * scale), scale};
}

}  // namespace lufact::gpu::paper
