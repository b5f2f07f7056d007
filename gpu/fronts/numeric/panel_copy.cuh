// SPDX-License-Identifier: BSD-3-Clause
// Panels of stored tiles on their way to shared memory.
#pragma once
#include "gpu/components/async_copy.cuh"
#include "gpu/fronts/tasks/front_problem.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

// Copies product_depth columns of a stored tile of L, or rows of U, from the `first`; what is not
// stored becomes zero. By all threads of a block.
template <bool whole, class T>
__device__ void copy_panel_of(T* panel, const StoredTile<const T>& stored, Index first) {
  constexpr int piece = 16 / sizeof(T), pieces = tile / piece;
  constexpr int at_once = tile_threads / pieces;
  const int along = static_cast<int>(threadIdx.x) % pieces * piece;
  const int own = static_cast<int>(threadIdx.x) / pieces;
  const int leading = whole ? tile : stored.rows;
  const T* const from = stored.entry + (first + own) * leading + along;
  T* const to = panel + own * tile_leading + along;
  const int there = whole ? product_depth : along < stored.rows ? stored.pivots - first - own : 0;
#pragma unroll
  for (int c = 0; c < product_depth; c += at_once) {
    copy_part<16>(to + c * tile_leading, from + c * leading, c < there ? 16 : 0);
  }
}
template <class T>
__device__ void copy_panel(T* panel, const StoredTile<const T>& stored, Index first) {
  if (stored.is_whole()) {
    copy_panel_of<true>(panel, stored, first);
  } else {
    copy_panel_of<false>(panel, stored, first);
  }
}

// `later`: groups of copies, fewer than `stages`, which is 4, that were started after the one that
// is waited for.
template <int stages>
__device__ void wait_for_panel(Index later) {
  static_assert(stages == 4);
  if (later == 0) {
    wait_for_copies<0>();
  } else if (later == 1) {
    wait_for_copies<1>();
  } else if (later == 2) {
    wait_for_copies<2>();
  } else {
    wait_for_copies<stages - 1>();
  }
}

}  // namespace lufact::gpu
