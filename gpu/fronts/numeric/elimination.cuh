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
    take_pivots(0, true);
#pragma unroll 1
    for (int step = 0; step * block_order < pivots; ++step) {
      Group::sync();
      if constexpr (Rows::exchanges) exchange_rows(step, pivots);
      const SmallBlock<T> block = eliminate_block(step, pivots);
      multiply_panels(step, block);
      Group::sync();
      update(step, block, (step + 1) * block_order < pivots);
    }
    if constexpr (Rows::exchanges) account_exchanges();
  }

 private:
  static constexpr int leading = Group::leading;

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

  // Calls body(k) for the block rows or columns k of a warp as constants: an index that is not one
  // would take the tile out of the registers.
  template <class Body>
  __device__ static void for_blocks(const Body& body) {
    body(cuda::std::integral_constant<int, 0>{});
    body(cuda::std::integral_constant<int, 1>{});
    body(cuda::std::integral_constant<int, 2>{});
    body(cuda::std::integral_constant<int, 3>{});
    static_assert(warp_blocks == 4);
  }

  // Whether the warp has pivots' rows or columns of a step: block row or column step % warp_blocks.
  __device__ static bool has_rows(int step) {
    return step / warp_blocks == Group::first_row() / warp_tile;
  }
  __device__ static bool has_columns(int step) {
    return step / warp_blocks == Group::first_column() / warp_tile;
  }
  template <class Body>
  __device__ static void for_block_of(int step, const Body& body) {
    for_blocks([&](auto block) {
      if (step % warp_blocks == block()) body(block);
    });
  }

  __device__ void publish_pivots(int step) {
    for_block_of(step, [&](auto block) { publish_pivots<block()>(step); });
  }
  template <int block>
  __device__ void publish_pivots(int step) {
    if (has_columns(step)) publish_columns<block>();
    if (has_rows(step)) publish_rows<block>();
  }
  // Publishes the pivots' rows and columns, and leaves zeros where there are such pivots.
  __device__ void take_pivots(int step, bool are_there) {
    for_block_of(step, [&](auto block) { take_pivots<block()>(step, are_there); });
  }
  template <int block>
  __device__ void take_pivots(int step, bool are_there) {
    publish_pivots<block>(step);
    if constexpr (!Rows::exchanges) clear_pivots<block>(step, are_there);
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
    if (!rows_.choose(panels_.column, first, pivots, rule_)) return;
    rows_.publish(tile_, first, panels_.right_left_factor);
    Group::sync();
    rows_.take(tile_, first, panels_.row, panels_.right_left_factor);
    Group::sync();
    publish_pivots(step);
    Group::sync();
  }

  __device__ void account_exchanges() const {
    if (Group::rank() != 0 || rows_.exchanged() == 0) return;
    atomicAdd(&counters_->exchanged_rows, static_cast<unsigned long long>(rows_.exchanged()));
  }

  // Every warp does the same, so that none waits for another.
  __device__ SmallBlock<T> eliminate_block(int step, int pivots) {
    const T* const from = panels_.row + step * block_order + lane_.row * leading + lane_.column;
    SmallBlock<T> block(from[0], from[1], pivots - step * block_order);
    const bool accounts = threadIdx.x % warp_size == 0 && Group::warp() == 0;
    block.eliminate(panels_.scratch[Group::warp()], rule_, accounts ? counters_ : nullptr);
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
    return block;
  }

  // Computes A and B, 16 rows of A and 16 columns of B at a time.
  __device__ void multiply_panels(int step, const SmallBlock<T>& block) {
    constexpr int warps = Group::threads / warp_size;
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
          store_left_factor(place / block_order + x - step, to, c, a[x][c], block);
          panels_.right_factor[to] = b[x][c];
        }
      }
    }
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

  // Updates the tile and takes the next step's pivots, if there are any, out of it.
  __device__ void update(int step, const SmallBlock<T>& block, bool has_next) {
    for_block_of(step, [&](auto own) {
      constexpr int next = (own() + 1) % warp_blocks;
      if constexpr (Rows::exchanges) clear_pivots<own()>(step, true);
      if (has_columns(step)) {
        update_around<own()>();
        __syncwarp();  // products go first
        finish_pivot_columns<own()>(step, block);
        take_pivots<next>(step + 1, has_next);
      } else {
        const bool right = own_column(step) < 0;
        update_beside(right ? panels_.right_left_factor : panels_.left_left_factor);
        take_pivots<next>(step + 1, has_next);
      }
    });
  }

  // Where the warp has the pivots' columns: those left of them have one left factor, those right of
  // them the other.
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

  // Where the warp has none of the pivots' columns, all of its columns have the same left factor.
  __device__ void update_beside(const T* left_factor) {
    const LeftOperand<T, warp_blocks> factor(left_factor + Group::first_row(), leading);
#pragma unroll
    for (int y = 0; y < warp_blocks; ++y) add_product(factor, y);
  }

  __device__ static int block_column(int y) {
    return Group::first_column() / block_order + y;
  }

  template <int block>
  __device__ void clear_pivots(int step, bool are_there) {
    const bool columns = has_columns(step) && are_there, rows = has_rows(step) && are_there;
#pragma unroll
    for (int other = 0; other < warp_blocks; ++other) {
      if (columns) clear(tile_.entry[block][other]);
      if (rows) clear(tile_.entry[other][block]);
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
};

}  // namespace lufact::gpu
