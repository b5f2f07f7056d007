// SPDX-License-Identifier: BSD-3-Clause
// How fronts are cut into tasks and stored: plain data, for those who plan and for kernels.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// Rows and columns of a tile, and the largest padded order of a front that is one task.
inline constexpr Index tile_order = 64;
// The largest padded order of a front that one warp eliminates.
inline constexpr Index warp_front_order = 32;
// Pivots of a small front are padded to a multiple of this, the least depth of a product.
inline constexpr Index pivot_block = 8;
// Pivots of a tile are padded to a multiple of this.
inline constexpr Index product_depth = 16;
// Rows of what is stored of a tile are padded to a multiple of this: 16 bytes in either precision.
inline constexpr Index stored_unit = 4;

constexpr Index round_up(Index value, Index multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}

// Pivots of a tile in a front that is cut into tiles; the last tile may have fewer.
constexpr Index pivot_tile_width(Index pivots) noexcept {
  const Index count = round_up(pivots, tile_order) / tile_order;
  return count == 0 ? 0 : round_up((pivots + count - 1) / count, product_depth);
}

// With Pivoting::diagonal_block a pivot comes from the first remaining row of its tile whose entry
// is at least this share of the largest entry there. Rounding then does not decide between equal
// entries, so that all engines choose the same row.
inline constexpr double nearly_largest = 15.0 / 16;

// How a front is stored and cut. A small front is one task. A larger front is cut into tiles of at
// most tile_order rows and columns; no tile has both pivots and contribution rows.
//
// Storage of the factors, in entries from `factors`. Small front: the pivots' columns over all
// rows, then the pivots' rows right of these columns, both by columns. Larger front: for each pivot
// tile k the tiles (k,k) .. (tiles-1,k) of L by columns, then (k,k) .. (k,tiles-1) of U by rows,
// each stored_rows(i) x stored_pivots(k) entries; triangular tiles are stored as their inverses.
// Columns of L and rows of U begin at multiples of stored_unit.
//
// With row exchanges, P A = L U holds for the pivots of a tile or of a small front. A diagonal tile
// then stores inverse(L) P for L, so that a product with it needs no P. A small front stores L
// alone, and P apart (FrontFactors::row_sources).
struct FrontShape {
  Offset factors = 0;
  Offset contribution = 0;     // in the contribution arena, by columns, leading dimension `rows`;
                               // negative: in factors that are not there yet, from their end
  Offset parent_rows = 0;      // of its contribution rows, in FrontTree::parent_row
  Index first = 0;             // position of the first pivot
  Index pivots = 0, rows = 0;  // rows: contribution rows
  Index pivot_tiles = 0, tiles = 0;      // 0 pivot tiles: a small front, or one without pivots
  Index pivot_width = 0, row_width = 0;  // of a tile of pivots (a multiple of product_depth), of
                                         // rows (of stored_unit); the last of either may have fewer
  Index flags = 0;                       // first of the flags of its tiles
  Index done = 0;                        // tasks that complete its contribution block
  Index parent = -1;
  Index child_begin = 0, child_end = 0;  // in TaskGraph::child

  bool small() const noexcept { return tiles == 0; }
  // Number of tile (i, k) of L, or (k, i) of U, i >= k, among the front's stored tiles.
  Index lower_tile(Index i, Index k) const noexcept { return 2 * k * tiles - k * (k - 1) + i - k; }
  Index upper_tile(Index k, Index i) const noexcept { return lower_tile(i, k) + tiles - k; }

  // Of what is stored: rows of tile row i, with padding; pivots of pivot tile k; rows of all tile
  // rows, and of those before row i.
  Index stored_rows(Index i) const noexcept {
    return i < pivot_tiles
               ? std::min(pivot_width, stored_pivot_rows() - i * pivot_width)
               : std::min(row_width, round_up(rows, stored_unit) - (i - pivot_tiles) * row_width);
  }
  Index stored_pivots(Index k) const noexcept {
    return std::min(pivot_width, pivots - k * pivot_width);
  }
  Index all_stored_rows() const noexcept {
    return stored_pivot_rows() + round_up(rows, stored_unit);
  }
  Index stored_before(Index i) const noexcept {
    return i < pivot_tiles ? i * pivot_width : stored_pivot_rows() + (i - pivot_tiles) * row_width;
  }
  // First entry of tile (i, k) of L, or (k, i) of U.
  Offset lower_place(Index i, Index k) const noexcept {
    return factors +
           Offset{k} * pivot_width * (2 * Offset{all_stored_rows()} - Offset{k - 1} * pivot_width) +
           Offset{stored_before(i) - k * pivot_width} * stored_pivots(k);
  }
  Offset upper_place(Index k, Index i) const noexcept {
    return lower_place(i, k) + Offset{all_stored_rows() - k * pivot_width} * stored_pivots(k);
  }
  // Of a front that is cut into tiles.
  Offset stored_entries() const noexcept {
    const Index last = pivot_tiles - 1;
    if (last < 0) return 0;
    return upper_place(last, last) - factors +
           Offset{all_stored_rows() - last * pivot_width} * stored_pivots(last);
  }

 private:
  Index stored_pivot_rows() const noexcept { return round_up(pivots, stored_unit); }
};

enum class TaskKind : std::int32_t {
  warp_front,     // a small front of at most warp_front_order, by one warp
  block_front,    // a small front, by a block
  diagonal,       // tile (k, k): eliminated, inverses stored
  lent_diagonal,  // the same where contribution blocks were, so that what it does not store is not
                  // zero
  lower,          // tile (i, k) of L, i > k
  upper,          // tile (k, j) of U, j > k
  contribution,   // tile (i, j) of the contribution block
};

struct FrontTask {
  TaskKind kind = TaskKind::warp_front;
  Index front = 0;
  Index tile_row = 0, tile_column = 0;
  Index entry_begin = 0, entry_end = 0;  // in TaskGraph::entry_*
  Index block_begin = 0, block_end = 0;  // in TaskGraph::block
};

// A rectangle of a child's contribution block that is added to one tile of its parent (extend-add),
// and the fields of the child's shape that this needs.
struct ChildBlock {
  Offset contribution = 0, parent_rows = 0;  // as in the child's shape
  Index child = 0, done = 0, leading = 0;    // leading dimension: its contribution rows
  Index row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;
};

// Tasks in topological order: each comes after all tasks that it waits for. Workers who take
// tickets one by one therefore never wait for a task that nobody has taken.
struct OrderedTasks {
  std::vector<FrontTask> task;
  // Ticket t is the tasks ticket[t] .. ticket[t+1]: one task, or several that take one warp of a
  // block each and do not wait for each other.
  std::vector<Index> ticket{0};

  Index tickets() const noexcept { return static_cast<Index>(ticket.size()) - 1; }
};
inline constexpr Index warps_per_ticket = 4;        // of the factorization
inline constexpr Index solve_warps_per_ticket = 8;  // of the solves
// Right-hand sides that one sweep of a solve on the device carries: many where there are at least
// so many, or where it is with the transpose, which has no other sweeps.
inline constexpr Index front_solve_columns = 4, many_solve_columns = 16, fewest_many_columns = 7;
// Sweeps for many right-hand sides go side by side. 0: there are none for so few.
inline constexpr Index most_many_sweeps = 8;
constexpr Index many_sweeps(Index rhs, bool transposed) {
  if (!transposed && rhs < fewest_many_columns) return 0;
  return rhs > (most_many_sweeps - 1) * many_solve_columns
             ? most_many_sweeps
             : (rhs + many_solve_columns - 1) / many_solve_columns;
}
// Right-hand sides that the arrays of solves are for.
constexpr Index solve_columns(Index sweeps) {
  return sweeps == 0 ? front_solve_columns : sweeps * many_solve_columns;
}

}  // namespace lufact
