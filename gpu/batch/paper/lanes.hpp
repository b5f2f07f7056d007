// SPDX-License-Identifier: BSD-3-Clause
// The lanes that share a matrix, as the components of the paper's kernels see them. On the device
// they are lanes of a warp (warp_lanes.cuh); in tests without a device they are threads of the
// host. A class Lanes has
//   static constexpr int width;            lanes of a matrix
//   int lane() const;                      of the caller, from 0
//   T from(T value, int lane) const;       what `lane` passed as `value`
//   T across(T value, int distance) const; the same of lane() ^ distance
//   void sync() const;                     what any lane wrote before it, all lanes read after it
// from(), across() and sync() are called by all lanes of a matrix together.
#pragma once

#ifdef __CUDACC__
#define LUFACT_LANES __device__ __forceinline__
#define LUFACT_UNROLL _Pragma("unroll")
#else
#define LUFACT_LANES inline
#define LUFACT_UNROLL
#endif

namespace lufact::gpu::paper {

// Lanes of a butterfly over n values: the next power of two.
constexpr int butterfly_width(int n) {
  int width = 1;
  while (width < n) width *= 2;
  return width;
}

}  // namespace lufact::gpu::paper
