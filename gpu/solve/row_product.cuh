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
    const Offset begin_of_share = Offset{share.first} * matrix.n;
    const Offset step = Offset{share.step} * matrix.n;
    Operands<together> operands{matrix, values, {x + begin_of_share}};
    Offset own = begin_of_share + tile.own_row();
    for (Index first = share.first; first < columns; first += share.step) {
      typename Use::Entry entry[together];
      Offset place[together];
#pragma unroll
      for (int c = 0; c < together; ++c) {
        // Those behind the last vector are the last one once more.
        const Offset behind = c == 0 ? 0 : Offset{min(c, columns - 1 - first)} * matrix.n;
        if (c > 0) operands.x[c] = operands.x[0] + behind;
        place[c] = own + behind;
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
      operands.x[0] += step;
      own += step;
    }
  }
};

}  // namespace lufact::gpu
