// SPDX-License-Identifier: BSD-3-Clause
// Tiles of L and U from the fragments of a block to where other blocks read them.
#pragma once
#include "gpu/fronts/numeric/assembly.cuh"
#include "gpu/fronts/tasks/front_problem.cuh"
#include "gpu/fronts/tasks/publish.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

template <bool whole, class T>
__device__ void store_triangles_of(const StoredTile<T>& lower_tile, T* upper_tile,
                                   Fragment<T>& entries) {
  const LanePlace lane;
  const int first_row = BlockGroup::first_row() + lane.row;
  const int first_column = BlockGroup::first_column() + lane.column;
  const Index leading = whole ? tile : lower_tile.rows, pivots = whole ? tile : lower_tile.pivots;
  T* const lower = lower_tile.entry + first_column * leading + first_row;
  T* const upper = upper_tile + first_row * leading + first_column;
  entries.for_each_block([&](int i, int j, const T(&pair)[2]) {
    const int row = first_row + i, column = first_column + j;
    if (!whole && max(row, column) >= pivots) return;
    if (row <= column + 1) {
      store_results(upper + i * leading + j, row <= column ? pair[0] : T(0),
                    whole || column + 1 < pivots ? pair[1] : T(0));
    }
    T* const to = lower + j * leading + i;
    if (row >= column) store_result(to, row == column ? T(1) : pair[0]);
    if (row > column) store_result(to + leading, row == column + 1 ? T(1) : pair[1]);
  });
}

// Of tile k on the diagonal: stores the inverse of L, or L, by columns, that of U, or U, by rows.
// Their other triangles stay as they are, which is zero.
template <class T>
__device__ void store_triangles(T* factors, const FrontShape& shape, Index k,
                                Fragment<T>& entries) {
  const StoredTile<T> lower = lower_stored(factors, shape, k, k);
  T* const upper = upper_stored(factors, shape, k, k).entry;
  if (lower.is_whole()) {
    store_triangles_of<true>(lower, upper, entries);
  } else {
    store_triangles_of<false>(lower, upper, entries);
  }
}

template <bool whole, class T>
__device__ void store_tile_of(Fragment<T>& entries, bool of_lower, const StoredTile<T>& stored) {
  const LanePlace lane;
  const int row = BlockGroup::first_row() + lane.row;
  const int column = BlockGroup::first_column() + lane.column;
  const int leading = whole ? tile : stored.rows;
  if (of_lower) {
    T* const to = stored.entry + column * leading + row;
    const int rows = stored.rows - row, pivots = stored.pivots - column;
    entries.for_each_block([&](int i, int j, const T(&pair)[2]) {
      if (!whole && i >= rows) return;
      if (whole || j < pivots) store_result(to + j * leading + i, pair[0]);
      if (whole || j + 1 < pivots) store_result(to + (j + 1) * leading + i, pair[1]);
    });
  } else {
    T* const to = stored.entry + row * leading + column;
    const int rows = stored.rows - column, pivots = stored.pivots - row;
    entries.for_each_block([&](int i, int j, const T(&pair)[2]) {
      if (whole || (i < pivots && j < rows)) store_results(to + i * leading + j, pair[0], pair[1]);
    });
  }
}

// Clears tile k on the diagonal, of L and of U, where contribution blocks were: what is not stored
// of it later is zero. None of the blocks is read any more once all children are complete, which is
// waited for. The caller's next barrier is between this and what is stored. Not inlined: the kernel
// has no register to spare.
template <class Group, class T>
__device__ __noinline__ void clear_diagonal(const FrontProblem<T>& problem, const FrontShape& shape,
                                            Index k) {
  wait_for_all_children<T, Group>(problem, shape);
  const StoredTile<T> lower = lower_stored(problem.factors, shape, k, k);
  T* const upper = upper_stored(problem.factors, shape, k, k).entry;
  const Index entries = lower.rows * lower.pivots;
  for (Index e = 2 * Group::rank(); e < entries; e += 2 * Group::threads) {
    store_results(lower.entry + e, T(0), T(0));
    store_results(upper + e, T(0), T(0));
  }
}

// A tile of L by columns, or of U by rows.
template <class T>
__device__ void store_tile(Fragment<T>& entries, bool of_lower, const StoredTile<T>& stored) {
  if (stored.is_whole()) {
    store_tile_of<true>(entries, of_lower, stored);
  } else {
    store_tile_of<false>(entries, of_lower, stored);
  }
}

}  // namespace lufact::gpu
