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

template <class T, int W, int R>
__device__ Candidate<T> best_of_rows(PanelRows<T, W, R>& rows, Index step) {
  Candidate<T> best;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if (rows.is_open(r, step)) best.take_better(pivot_key(rows.entry(r, 0)), rows.position(r));
  }
  return best;
}

// The position of the best candidate of the warp; no_position where no lane has one.
template <class T>
__device__ Index best_position(const Candidate<T>& own) {
  const PivotKey<T> largest = warp_largest(own.key);
  const auto position = static_cast<unsigned>(own.position);
  return static_cast<Index>(warp_least(own.key == largest ? position : unsigned{no_position}));
}

// A candidate with its row, from its first entry on that is not eliminated; zeros behind the last.
template <class T, int W>
struct alignas(16) SharedCandidate {
  PivotKey<T> key;
  Index position;  // no_position: none
  Index origin;    // where the row was before the panel
  alignas(16) T row[W];
};

// By all lanes of a warp, whose rows these are and whose best candidate has this position; lane and
// r have origin `origin_of(r)`. `live` entries of each row are not eliminated yet.
template <class T, int W, int R, class OriginOf>
__device__ void offer_row(PanelRows<T, W, R>& rows, Index position, int live,
                          const OriginOf& origin_of, SharedCandidate<T, W>& place) {
  if (position == no_position) {
    if (threadIdx.x % warp_size == 0) {
      place.key = 0;
      place.position = no_position;
    }
    return;
  }
#pragma unroll
  for (int r = 0; r < R; ++r) {
    if (rows.position(r) != position) continue;
    place.key = pivot_key(rows.entry(r, 0));
    place.position = position;
    place.origin = origin_of(r);
#pragma unroll
    for (int c = 0; c < W; ++c) place.row[c] = c < live ? rows.entry(r, c) : T(0);
  }
}

// The best of `count` candidates, of which at least one is there. By all lanes of a warp.
template <class T, int W>
__device__ const SharedCandidate<T, W>& best_candidate(const SharedCandidate<T, W>* candidates,
                                                       int count) {
  Candidate<T> best;
  int own = 0;
  for (int k = static_cast<int>(threadIdx.x % warp_size); k < count; k += warp_size) {
    if (best.take_better(candidates[k].key, candidates[k].position)) own = k;
  }
  const unsigned holders = __ballot_sync(full_warp, best.position == best_position(best));
  return candidates[__shfl_sync(full_warp, own, __ffs(static_cast<int>(holders)) - 1)];
}

}  // namespace lufact::gpu::blocked
