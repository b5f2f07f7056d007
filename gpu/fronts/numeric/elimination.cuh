// SPDX-License-Identifier: BSD-3-Clause
// A tile eliminated 8 pivots at a time while it stays in the registers of its warps.
#pragma once
#include <cuda/std/type_traits>

#include "gpu/fronts/numeric/pivot_pair.cuh"
#include "gpu/fronts/numeric/tile_product.cuh"

namespace lufact::gpu {

inline constexpr int small_leading = block_order + 4;

// The inverses of an 8 x 8 block as right operands, one warp's own.
template <class T>
struct InverseOperands {
  T upper[block_order * small_leading];             // inverse of U
  T lower[block_order * small_leading];             // inverse of L
  T lower_transposed[block_order * small_leading];  // of its transpose
};

// Panels of one step, shared by the group: each is 8 rows of the group's order.
template <class T, class Group>
struct EliminationPanels {
  T column[block_order * Group::leading];  // the pivots' columns of the tile
  T row[block_order * Group::leading];     // the pivots' rows
  // Left factors of the update: for columns right of the pivots, and for columns left of them.
  T right_left_factor[block_order * Group::leading];
  T left_left_factor[block_order * Group::leading];
  T right_factor[block_order * Group::leading];  // the inverse of L times the pivots' rows
  InverseOperands<T> inverse[Group::threads / warp_size];
  BlockScratch<T> scratch[Group::threads / warp_size];
};

// Eliminates the first `pivots` rows and columns of the tile that the group's fragments hold. In
// place of the pivots' rows and columns come the inverses of L (unit diagonal not stored) and U; in
// the rows below -L21 times the inverse of L, in the columns to the right -(the inverse of U) times
// U12; the rest becomes the Schur complement.
//
// Let C be the 8 columns and R the 8 rows of a step, A = C U^-1 and B = L^-1 R. A B is subtracted
// from all entries but those that are inverses already: also from rows above the pivots in columns
// to their right, which extends the inverse of U, and from rows below in columns to their left,
// which extends the inverse of L (Gauss-Jordan elimination of the triangular factors).
//
// Where `rows` exchanges rows, all of this holds for the tile with its pivot rows permuted.
template <class T, class Group, class Rows>
class TileElimination {
 public:
  __device__ TileElimination(Fragment<T>& tile_entries, EliminationPanels<T, Group>& panels,
                             Rows& rows, const PivotRule<T>& rule, NumericCounters* counters)
      : tile_(tile_entries), panels_(panels), rows_(rows), rule_(rule), counters_(counters) {}

  __device__ void run(int pivots) {
    if (lane_number() == 0) panels_.scratch[Group::warp()].prepare();
#pragma unroll 1
    for (int step = 0; step * block_order < pivots; ++step) {
      publish_pivots<!Rows::exchanges>(step);
      Group::sync();
      const SmallBlock<T> block = eliminate_pivots(step, pivots);
      update(step, block);
    }
    if constexpr (Rows::exchanges) account_exchanges();
  }

 private:
  static constexpr int leading = Group::leading;
  // Of a pivot that is nearly the largest of its column.
  static constexpr T most_multiplier = T(1 / nearly_largest);

  __device__ InverseOperands<T>& inverse() {
    return panels_.inverse[Group::warp()];
  }

  // Block rows and columns of the tile, counted from the first of this warp's.
  __device__ static int own_row(int step) {
    return step - Group::first_row() / block_order;
  }
  __device__ static int own_column(int step) {
    return step - Group::first_column() / block_order;
  }

  // Whether the warp has the pivots' rows or columns of a step. They are its block row or column
  // step % warp_blocks then, for which body(block) is called with a constant: an index that is not
  // one would take the tile out of the registers.
  __device__ static bool has_rows(int step) {
    return step / warp_blocks == Group::first_row() / warp_tile;
  }
  __device__ static bool has_columns(int step) {
    return step / warp_blocks == Group::first_column() / warp_tile;
  }
  template <class Body>
  __device__ static void for_block_of(int step, const Body& body) {
    const int block = step % warp_blocks;
    if (block == 0) body(cuda::std::integral_constant<int, 0>{});
    if (block == 1) body(cuda::std::integral_constant<int, 1>{});
    if (block == 2) body(cuda::std::integral_constant<int, 2>{});
    if (block == 3) body(cuda::std::integral_constant<int, 3>{});
    static_assert(warp_blocks == 4);
  }

  template <bool leaves_zeros>
  __device__ void publish_pivots(int step) {
    for_block_of(step, [&](auto block) {
      if (has_columns(step)) publish_columns<block()>();
      if (has_rows(step)) publish_rows<block()>();
      if constexpr (leaves_zeros) clear_pivots<block()>(step);
    });
  }
  template <int y>
  __device__ void publish_columns() {
    T* const to = panels_.column + lane_.column * leading + Group::first_row() + lane_.row;
#pragma unroll
    for (int x = 0; x < warp_blocks; ++x) {
      to[x * block_order] = tile_.entry[y][x][0];
      to[leading + x * block_order] = tile_.entry[y][x][1];
    }
  }
  template <int x>
  __device__ void publish_rows() {
    T* const to = panels_.row + lane_.row * leading + Group::first_column() + lane_.column;
#pragma unroll
    for (int y = 0; y < warp_blocks; ++y) {
      to[y * block_order] = tile_.entry[y][x][0];
      to[y * block_order + 1] = tile_.entry[y][x][1];
    }
  }

  // Between barriers. Where rows have moved, the pivots' rows and columns are published again. Uses
  // the place of right_left_factor, which is free between steps.
  __device__ void exchange_rows(int step, int pivots) {
    const int first = step * block_order;
    exchanged_ = rows_.choose(panels_.column, first, pivots, rule_);
    if (!exchanged_) return;
    rows_.publish(tile_, first, panels_.right_left_factor);
    Group::sync();
    rows_.take(tile_, first, panels_.row, panels_.right_left_factor);
    Group::sync();
    publish_pivots<false>(step);
    Group::sync();
  }

  __device__ void account_exchanges() const {
    if (Group::rank() != 0 || rows_.exchanged() == 0) return;
    atomicAdd(&counters_->exchanged_rows, static_cast<unsigned long long>(rows_.exchanged()));
  }

  // The pivots' block and the factors of the update. A barrier has passed on return.
  //
  // Where rows may be exchanged, the multipliers tell whether they have to be, and they come with
  // the factors: rows are chosen where one is too large, and where rows were exchanged in the step
  // before, since those are likely to be again.
  __device__ SmallBlock<T> eliminate_pivots(int step, int pivots) {
    bool chosen = !Rows::exchanges || exchanged_;
#pragma unroll 1
    for (;;) {
      if constexpr (Rows::exchanges) {
        if (chosen) exchange_rows(step, pivots);
      }
      SmallBlock<T> block = published_block(step, pivots);
      const bool modest = eliminate_block(block, chosen);
      const bool modest_below = multiply_panels(step, pivots, block);
      if constexpr (Rows::exchanges) {
        if (Group::sync_and_vote(chosen | (modest & modest_below))) return block;
        chosen = true;
      } else {
        Group::sync();
        return block;
      }
    }
  }

  __device__ SmallBlock<T> published_block(int step, int pivots) const {
    const T* const from = panels_.row + step * block_order + lane_.row * leading + lane_.column;
    return {from[0], from[1], pivots - step * block_order};
  }

  // Every warp does the same, so that none waits for another. Returns in each lane whether pivots
  // and the multipliers that it sees are good; always where the block is `final`.
  __device__ bool eliminate_block(SmallBlock<T>& block, bool final) {
    const bool accounts = threadIdx.x % warp_size == 0 && Group::warp() == 0;
    const bool good = block.eliminate(panels_.scratch[Group::warp()], rule_,
                                      accounts ? counters_ : nullptr, final, most_multiplier);
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      const int row = lane_.row, column = lane_.column + c;
      const T unit = row == column ? T(1) : T(0);
      const T lower = row > column ? block.entry(c) : unit;
      inverse().upper[row * small_leading + column] = row <= column ? block.entry(c) : T(0);
      inverse().lower[row * small_leading + column] = lower;
      inverse().lower_transposed[column * small_leading + row] = lower;
    }
    __syncwarp();
    return good;
  }

  // Computes A and B, 16 rows of A and 16 columns of B at a time. Returns in each lane whether the
  // multipliers that it has of rows with a pivot are good.
  __device__ bool multiply_panels(int step, int pivots, const SmallBlock<T>& block) {
    constexpr int warps = Group::threads / warp_size;
    bool modest = true;
#pragma unroll
    for (int first = 0; first < Group::order; first += 16 * warps) {
      const int place = first + 16 * Group::warp();
      T a[2][2] = {}, b[2][2] = {};
      LeftOperand<T, 2>(panels_.column + place, leading)
          .add_product(a, RightOperand<T>(inverse().upper, small_leading));
      LeftOperand<T, 2>(panels_.row + place, leading)
          .add_product(b, RightOperand<T>(inverse().lower_transposed, small_leading));
#pragma unroll
      for (int x = 0; x < 2; ++x) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          const int to = (lane_.column + c) * leading + place + x * block_order + lane_.row;
          const int beyond = place / block_order + x - step;
          const bool is_multiplier = beyond > 0 && place + x * block_order + lane_.row < pivots;
          modest &= !is_multiplier | (fabs(a[x][c]) <= most_multiplier);
          store_left_factor(beyond, to, c, a[x][c], block);
          panels_.right_factor[to] = b[x][c];
        }
      }
    }
    return modest;
  }

  // `beyond`: block rows below the pivots; 0: the pivots' own.
  __device__ void store_left_factor(int beyond, int to, int c, T value,
                                    const SmallBlock<T>& block) {
    const bool diagonal = lane_.row == lane_.column + c;
    const T own_right = lane_.row <= lane_.column + c ? -block.entry(c) : T(0);
    panels_.right_left_factor[to] = beyond == 0 ? own_right : -value;
    panels_.left_left_factor[to] =
        beyond == 0 ? (diagonal ? T(1) : T(0)) : (beyond > 0 ? -value : T(0));
  }

  __device__ void update(int step, const SmallBlock<T>& block) {
    if constexpr (Rows::exchanges) {
      for_block_of(step, [&](auto own) { clear_pivots<own()>(step); });
    }
    if constexpr (has_tensor_products<T>) {
      update_by_factor(step, block);
    } else {
      update_by_column(step, block);
    }
  }

  // One piece of code wherever the pivots are: where products are many instructions, sparse fronts
  // took longer the other way, in a trial on an H200. Without a branch, so that operands of a block
  // column are loaded while products of the last one are summed.
  __device__ void update_by_column(int step, const SmallBlock<T>& block) {
#pragma unroll
    for (int y = 0; y < warp_blocks; ++y) {
      const int column = block_column(y);
      const LeftOperand<T, warp_blocks> factor(
          (column > step ? panels_.right_left_factor : panels_.left_left_factor) +
              Group::first_row(),
          leading);
      const bool own = column == step;
      const RightOperand<T> right(
          own ? inverse().lower : panels_.right_factor + column * block_order,
          own ? small_leading : leading);
      factor.add_product(tile_.entry[y], right);
    }
    if (has_columns(step)) {
      for_block_of(step, [&](auto own) { finish_pivot_columns<own()>(step, block); });
    }
  }

  // The left factor is loaded once for all columns of a warp that have the same one, by code of its
  // own for each place of the pivots among them.
  __device__ void update_by_factor(int step, const SmallBlock<T>& block) {
    if (Group::order > warp_tile && !has_columns(step)) {
      return update_beside(own_column(step) < 0 ? panels_.right_left_factor
                                                : panels_.left_left_factor);
    }
    for_block_of(step, [&](auto own) {
      update_around<own()>();
      finish_pivot_columns<own()>(step, block);
    });
  }

  // Of a warp that has none of the pivots' columns.
  __device__ void update_beside(const T* left_factor) {
    const LeftOperand<T, warp_blocks> factor(left_factor + Group::first_row(), leading);
#pragma unroll
    for (int y = 0; y < warp_blocks; ++y) add_product(factor, y);
  }

  // Columns left of the pivots' have one left factor, those right of them another.
  template <int own>
  __device__ void update_around() {
    {
      const LeftOperand<T, warp_blocks> factor(panels_.left_left_factor + Group::first_row(),
                                               leading);
#pragma unroll
      for (int y = 0; y < own; ++y) add_product(factor, y);
      factor.add_product(tile_.entry[own], RightOperand<T>(inverse().lower, small_leading));
    }
    if (own + 1 == warp_blocks) return;
    const LeftOperand<T, warp_blocks> factor(panels_.right_left_factor + Group::first_row(),
                                             leading);
#pragma unroll
    for (int y = own + 1; y < warp_blocks; ++y) add_product(factor, y);
  }

  __device__ void add_product(const LeftOperand<T, warp_blocks>& factor, int y) {
    const T* const right = panels_.right_factor + block_column(y) * block_order;
    factor.add_product(tile_.entry[y], RightOperand<T>(right, leading));
  }

  __device__ static int block_column(int y) {
    return Group::first_column() / block_order + y;
  }

  template <int block>
  __device__ void clear_pivots(int step) {
#pragma unroll
    for (int other = 0; other < warp_blocks; ++other) {
      if (has_columns(step)) clear(tile_.entry[block][other]);
      if (has_rows(step)) clear(tile_.entry[other][block]);
    }
  }
  __device__ static void clear(T (&entry)[2]) {
    entry[0] = entry[1] = T(0);
  }

  // Sets the pivots' columns: in the pivots' rows to the block, in the rows above to A.
  template <int y>
  __device__ void finish_pivot_columns(int step, const SmallBlock<T>& block) {
#pragma unroll
    for (int x = 0; x < warp_blocks; ++x) {
      const int row = Group::first_row() + x * block_order + lane_.row;
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        T& value = tile_.entry[y][x][c];
        const T above = -panels_.right_left_factor[(lane_.column + c) * leading + row];
        value = x == own_row(step) ? block.entry(c) : x < own_row(step) ? above : value;
      }
    }
  }

  Fragment<T>& tile_;
  EliminationPanels<T, Group>& panels_;
  Rows& rows_;
  const PivotRule<T>& rule_;
  NumericCounters* counters_;
  LanePlace lane_;
  bool exchanged_ = false;  // rows, in the last step
};

}  // namespace lufact::gpu
