// SPDX-License-Identifier: BSD-3-Clause
// The search for a pivot: the entry of largest magnitude, of equal ones the first in the current
// order of the rows, as LAPACK's idamax finds it; among the rows of a thread, the lanes of a warp,
// and candidates in shared memory.
#pragma once
#include "gpu/components/magnitude.cuh"
#include "gpu/components/thread_group.cuh"
#include "gpu/dense/ours/panel_rows.cuh"

namespace lufact::gpu::blocked {

inline constexpr Index no_position = 0x7fffffff;

__device__ inline unsigned long long pivot_key(double value) {
  return magnitude_bits(value);
}
__device__ inline unsigned pivot_key(float value) {
  return __float_as_uint(fabsf(value));
}
template <class T>
using PivotKey = decltype(pivot_key(T()));

template <class T>
struct Candidate {
  PivotKey<T> key = 0;
  Index position = no_position;  // none

  // Returns whether the other one was taken.
  __device__ bool take_better(PivotKey<T> other_key, Index other_position) {
    const bool better = other_key > key || (other_key == key && other_position < position);
    if (better) {
      key = other_key;
      position = other_position;
    }
    return better;
  }
};

template <class T, class Rows>
__device__ Candidate<T> best_of_rows(Rows& rows, Index step) {
  Candidate<T> best;
#pragma unroll Rows::unrolled
  for (int r = 0; r < Rows::rows; ++r) {
    if (rows.is_open(r, step)) best.take_better(pivot_key(rows.entry(r, 0)), rows.position(r));
  }
  return best;
}

__device__ inline unsigned upper_word(unsigned long long key) {
  return static_cast<unsigned>(key >> 32);
}
__device__ inline unsigned upper_word(unsigned key) {
  return key;
}

// The lane of the warp's best candidate; -1 where no lane has one. Nearly always one lane alone has
// the largest upper word, which takes one reduction in place of three.
template <class T>
__device__ int best_lane(const Candidate<T>& own) {
  const bool is_one = own.position != no_position;
  const unsigned upper = is_one ? upper_word(own.key) : 0;
  const unsigned most = warp_largest(upper);
  const unsigned near = __ballot_sync(full_warp, is_one && upper == most);
  if (__popc(near) == 1) return __ffs(static_cast<int>(near)) - 1;
  if (near == 0) return -1;
  const PivotKey<T> largest = warp_largest(own.key);
  const auto position = static_cast<unsigned>(own.position);
  const unsigned first = warp_least(is_one && own.key == largest ? position : ~0U);
  return __ffs(static_cast<int>(__ballot_sync(full_warp, is_one && position == first))) - 1;
}

// Of the candidates of(0 .. count), count <= kMost, the number of the best; -1 where there is none.
// By all lanes of a warp.
template <class T, int kMost, class CandidateOf>
__device__ int best_of(int count, const CandidateOf& of) {
  const int lane_of_warp = static_cast<int>(threadIdx.x % warp_size);
  if constexpr (kMost <= warp_size) {
    return best_lane(lane_of_warp < count ? of(lane_of_warp) : Candidate<T>{});
  }
  Candidate<T> best;
  int own = 0;
  for (int k = lane_of_warp; k < count; k += warp_size) {
    const Candidate<T> other = of(k);
    if (best.take_better(other.key, other.position)) own = k;
  }
  const int lane = best_lane(best);
  return lane < 0 ? -1 : __shfl_sync(full_warp, own, lane);
}

// A candidate of another block with its row, from its first entry on that is not eliminated; zeros
// behind the last.
template <class T, int W>
struct alignas(16) SharedCandidate {
  Candidate<T> candidate;
  Index origin;  // where the row was before the panel
  alignas(16) T row[W];
};

}  // namespace lufact::gpu::blocked
