// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/solve/long_rows.cuh"

namespace lufact::gpu {

inline constexpr int row_product_threads = 256;  // of a block

// The vectors that a block takes, some together: the first, and from those together to the next.
struct VectorShare {
  Index first = 0, step = 1;
};

// Rows of a matrix times vectors of n entries, one after another. `Use` says what becomes of the
// products: load(mine, place) comes before, store(mine, c, place, what load() returned, product)
// after, by whole warps; `place` is that of the entry in the block of vectors.
template <class Use>
struct RowProduct {
  PatternRef matrix;
  const double *values, *x;
  Index columns;
  Use use;

  // One tile by each warp of the block, for vectors in turn, as many at a time as `together` says.
  // Sums of a vector are the same whatever vectors come with it.
  template <int Lanes, int together = 1>
  __device__ void take_tile(unsigned number, const VectorShare& share = {}) const {
    __shared__ LongRows<row_product_threads, together> long_rows;
    const RowTile<Lanes> tile(matrix.n, number);
    const bool mine = tile.is_owner();
    const Offset* const range = matrix.row_ptr + tile.own_row();
    const Offset begin = mine ? range[0] : 0, end = mine ? range[1] : 0;
    const bool is_long = end - begin > RowTile<Lanes>::short_row;
    const bool any_long = __syncthreads_or(is_long) != 0;
    if (any_long) long_rows.set(begin, is_long ? end : begin);
    for (Index first = share.first; first < columns; first += share.step) {
      // Those behind the last vector are the last one once more.
      Operands<together> operands{matrix, values, {}};
      typename Use::Entry entry[together];
      Offset place[together];
#pragma unroll
      for (int c = 0; c < together; ++c) {
        const Index number = c == 0 ? first : min(first + c, columns - 1);
        const Offset shift = Offset{number} * matrix.n;
        operands.x[c] = x + shift;
        place[c] = shift + tile.own_row();
        entry[c] = use.load(mine, place[c]);
      }
      RowSums<together> sum = tile.sum(operands);
      if (any_long) sum += long_rows.sum(operands);
#pragma unroll
      for (int c = 0; c < together; ++c) {
        if (c == 0 || first + c < columns) {
          use.store(mine, first + c, place[c], entry[c], sum.of[c]);
        }
      }
    }
  }
};

}  // namespace lufact::gpu
