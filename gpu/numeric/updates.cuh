// SPDX-License-Identifier: BSD-3-Clause
// The updates by a finished column j of its sub-columns k (E2E Algorithm 2, lines 8-14, with
// Algorithm 6), cut into tiles: one sub-column times up to tile_rows entries of L(:, j).
#pragma once
#include "gpu/numeric/column_search.cuh"
#include "gpu/numeric/factor_views.cuh"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

inline constexpr Offset tile_rows = 256;

// The shape of a column's work as a pivot column.
struct ColumnWork {
  Offset l_begin = 0, l_count = 0;      // strictly lower part, positions by columns
  Offset sub_begin = 0, sub_count = 0;  // sub-columns, positions by rows

  __device__ Offset tiles_per_sub_column() const { return ceil_div(l_count, tile_rows); }
  __device__ Offset tiles() const { return sub_count * tiles_per_sub_column(); }
};

__device__ inline ColumnWork column_work(const FactorPattern& pattern, Index column) {
  const Offset diagonal = pattern.diagonal[column];
  ColumnWork work;
  work.l_begin = pattern.position[diagonal] + 1;
  work.l_count = pattern.col_ptr[column + 1] - work.l_begin;
  work.sub_begin = diagonal + 1;
  work.sub_count = pattern.row_ptr[column + 1] - work.sub_begin;
  return work;
}

// As(i, k) -= As(i, j) As(j, k) for the rows i of one tile. Called by `Lanes` threads, one per row
// in turn; they share nothing. Column k has at least t rows of L(:, j) between row j and the t-th
// row of L(:, j), and l_count - 1 - t after it. The search looks only at places between these: at a
// single one where both columns have the same rows. Columns of a level may update the same entry,
// hence the atomics.
template <int Lanes, class T>
__device__ void update_tile(const FactorsRef<T>& factors, Index column, Offset tile, int lane,
                            NumericCounters* counters) {
  const FactorPattern& pattern = factors.pattern;
  const ColumnWork work = column_work(pattern, column);
  const Offset chunks = work.tiles_per_sub_column();
  const Offset sub = work.sub_begin + tile / chunks;
  const Index k = pattern.col_idx[sub];
  const Offset k_end = pattern.col_ptr[k + 1];
  const Offset u_position = pattern.position[sub];
  const T u = factors.values[u_position];
  if (u == T(0)) return;
  const Offset first = (tile % chunks) * tile_rows;
  const Offset last = first + tile_rows < work.l_count ? first + tile_rows : work.l_count;
  for (Offset t = first + lane; t < last; t += Lanes) {
    const Index i = pattern.row_idx[work.l_begin + t];
    const Offset p =
        find_row(pattern.row_idx, u_position + 1 + t, k_end - (work.l_count - 1 - t), i);
    if (p >= 0) {
      atomicAdd(factors.values + p, -(factors.values[work.l_begin + t] * u));
    } else {
      atomicAdd(&counters->misplaced, 1ULL);
    }
  }
}

}  // namespace lufact::gpu
