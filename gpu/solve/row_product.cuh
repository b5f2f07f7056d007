// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/solve/long_rows.cuh"

namespace lufact::gpu {

inline constexpr int row_product_threads = 256;  // of a block

// Rows of a matrix times vectors of n entries, one after another. `Use` says what becomes of the
// products: load(mine, place) comes before, store(mine, c, place, what load() returned, product)
// after, by whole warps; `place` is that of the entry in the block of vectors.
template <class Use>
struct RowProduct {
  PatternRef matrix;
  const double *values, *x;
  Index columns;
  Use use;

  // One tile by each warp of the block, for all vectors in turn.
  template <int Lanes>
  __device__ void take_tile(unsigned number) const {
    __shared__ LongRows<row_product_threads> long_rows;
    const RowTile<Lanes> tile(matrix.n, number);
    const bool mine = tile.is_owner();
    const Offset* const range = matrix.row_ptr + tile.own_row();
    const Offset begin = mine ? range[0] : 0, end = mine ? range[1] : 0;
    const bool is_long = end - begin > RowTile<Lanes>::short_row;
    const bool any_long = __syncthreads_or(is_long) != 0;
    if (any_long) long_rows.set(begin, is_long ? end : begin);
    Operands operands{matrix, values, x};
    Offset place = tile.own_row();
    for (Index c = 0; c < columns; ++c) {
      const auto entry = use.load(mine, place);
      double sum = tile.sum(operands);
      if (any_long) sum += long_rows.sum(operands);
      use.store(mine, c, place, entry, sum);
      operands.x += matrix.n;
      place += matrix.n;
    }
  }
};

}  // namespace lufact::gpu
