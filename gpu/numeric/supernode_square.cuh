// SPDX-License-Identifier: BSD-3-Clause
// The square on the diagonal of a supernode.
#pragma once
#include "gpu/components/thread_group.cuh"
#include "gpu/numeric/pivots.cuh"
#include "gpu/numeric/supernode_plan.hpp"

namespace lufact::gpu {

// Divides by the pivot where it is so small that its inverse overflows.
template <class T>
__device__ inline T quotient(T value, T pivot, T inverse) {
  return isfinite(inverse) ? value * inverse : value / pivot;
}

// Replaces the square of `width` <= supernode_width columns, `stride` apart, by L
// and U, with static pivoting; by one warp. inverse[0 .. width) get the pivots'
// inverses.
template <class T>
__device__ inline void eliminate_square(T* square, Offset stride, int width,
                                        const PivotRule<T>& rule, T* inverse,
                                        NumericCounters* counters) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int r = lane % supernode_width, g = lane / supernode_width;
  for (int k = 0; k < width; ++k) {
    T* const own = square + k * stride;
    const T before = own[k];
    const T pivot = rule.apply(before);
    const bool mine = r > k && r < width;
    const T l = mine ? quotient(own[r], pivot, T(1) / pivot) : T(0);
    __syncwarp();
    for (int c = g; c < width; c += supernode_width / 2) {
      if (mine && c > k) square[c * stride + r] -= l * square[c * stride + k];
    }
    if (g == 0 && mine) own[r] = l;
    if (lane == 0) {
      account_pivot(before, pivot, counters);
      own[k] = pivot;
      inverse[k] = T(1) / pivot;
    }
    __syncwarp();
  }
}

}  // namespace lufact::gpu
