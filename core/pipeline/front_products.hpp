// SPDX-License-Identifier: BSD-3-Clause
// Host products of the front family: a multifrontal factorization (Duff and Reid, ACM Trans. Math.
// Software 9, 1983) on the pattern of B + B'.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/base/raw_vector.hpp"
#include "core/base/types.hpp"
#include "core/pipeline/stage.hpp"

namespace lufact {

namespace product_types {
inline constexpr ProductType front_tree{"front-tree"};
inline constexpr ProductType task_graph{"task-graph"};
inline constexpr ProductType front_factors{"front-factors"};
}  // namespace product_types

// Fronts are dense: rows and columns are the front's pivots, then its contribution rows, which are
// pivots of ancestors. Every label of B has a position. The pivots of a front have consecutive
// positions; fronts precede their parents. A front without pivots only adds up its children.
class FrontTree final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::front_tree; }
  Side side() const noexcept override { return Side::host; }

  Index n = 0;
  std::vector<Index> label;        // label of B at each position
  std::vector<Index> first{0};     // front f has the pivots first[f] .. first[f+1]
  std::vector<Index> parent;       // of each front, -1 for a root
  std::vector<Offset> row_ptr{0};  // front f has the contribution rows row_ptr[f] .. row_ptr[f+1]
  RawVector<Index> row;            // position of each, ascending in a front
  RawVector<Index> parent_row;     // relative index: its row in the parent's front, from 0

  // The entries of B by front, in each front by pivot (arrowheads). An entry is assembled by the
  // front that has the earlier of its row and column as a pivot.
  std::vector<Offset> entry_ptr{0};
  RawVector<Index> entry_source;             // position among the values of B
  RawVector<Index> entry_row, entry_column;  // in the front, counted from 0

  Offset nnz_bound = 0;  // entries of L + U on the pattern of B + B', without amalgamation
  bool exact = false;    // nnz_bound is exact: the pattern of B is symmetric

  Index fronts() const noexcept { return static_cast<Index>(parent.size()); }
  Index pivots(Index f) const noexcept {
    return first[static_cast<std::size_t>(f) + 1] - first[static_cast<std::size_t>(f)];
  }
  Index contributions(Index f) const noexcept {
    return static_cast<Index>(row_ptr[static_cast<std::size_t>(f) + 1] -
                              row_ptr[static_cast<std::size_t>(f)]);
  }
  Index order(Index f) const noexcept { return pivots(f) + contributions(f); }
};

// Rows and columns of a tile, and the largest padded order of a front that is one task.
inline constexpr Index tile_order = 64;
// The largest padded order of a front that one warp eliminates.
inline constexpr Index warp_front_order = 32;
// Pivots of a small front are padded to a multiple of this, the least depth of a product.
inline constexpr Index pivot_block = 8;
// Pivots of a tile are padded to a multiple of this.
inline constexpr Index product_depth = 16;

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
// each tile_order x pivot_width entries; triangular tiles are stored as their inverses.
//
// With row exchanges, P A = L U holds for the pivots of a tile or of a small front. A diagonal tile
// then stores inverse(L) P for L, so that a product with it needs no P. A small front stores L
// alone, and P apart (FrontFactors::row_sources).
struct FrontShape {
  Offset factors = 0;
  Offset contribution = 0;     // in the contribution arena, by columns, leading dimension `rows`
  Offset parent_rows = 0;      // of its contribution rows, in FrontTree::parent_row
  Index first = 0;             // position of the first pivot
  Index pivots = 0, rows = 0;  // rows: contribution rows
  Index pivot_tiles = 0, tiles = 0;  // 0 pivot tiles: a small front, or one without pivots
  Index pivot_width = 0,
        row_width = 0;  // of a tile of pivots (a multiple of product_depth), of rows
  Index flags = 0;      // first of the flags of its tiles
  Index done = 0;       // tasks that complete its contribution block
  Index parent = -1;
  Index child_begin = 0, child_end = 0;  // in TaskGraph::child

  bool small() const noexcept { return tiles == 0; }
  // Number of tile (i, k) of L, or (k, i) of U, i >= k, among the front's stored tiles.
  Index lower_tile(Index i, Index k) const noexcept { return 2 * k * tiles - k * (k - 1) + i - k; }
  Index upper_tile(Index k, Index i) const noexcept { return lower_tile(i, k) + tiles - k; }
};

enum class TaskKind : std::int32_t {
  warp_front,    // a small front of at most warp_front_order, by one warp
  block_front,   // a small front, by a block
  diagonal,      // tile (k, k): eliminated, inverses stored
  lower,         // tile (i, k) of L, i > k
  upper,         // tile (k, j) of U, j > k
  contribution,  // tile (i, j) of the contribution block
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

class TaskGraph final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::task_graph; }
  Side side() const noexcept override { return Side::host; }

  std::vector<FrontShape> shape;
  std::vector<Index> child;  // by parent, ascending
  OrderedTasks factorization;
  // Parts of the factorization: part p ends at ticket part_end[p], and begins when the part before
  // is complete.
  std::vector<Index> part_end;
  // One task for each small front and for each tile row of a larger front, with the child blocks of
  // that front or of the row's diagonal tile. Taken in this order for L and backwards for U, where
  // only pivot rows have work.
  OrderedTasks solve;
  std::vector<ChildBlock> block;         // by task, children ascending
  RawVector<Index> entry_source;         // by task: position among the values of B
  RawVector<std::uint16_t> entry_place;  // row and column in the tile: row + 256 * column
  Offset factor_entries = 0;             // entries that the factors store
  Offset contribution_entries = 0;       // entries of the contribution arena
  Index flags = 0;                       // stored tiles of all fronts
  double critical_path = 0;              // of the factorization, estimated, in seconds
};

// Base of the front family's factors, on host and device.
class FrontFactors : public Factors {
 public:
  ProductType type() const noexcept override { return product_types::front_factors; }
  // The stored entries in storage order, as doubles, and the shapes that describe this order.
  // Copies factors that live on the device; not timed.
  virtual std::vector<double> stored_values() const = 0;
  virtual std::vector<FrontShape> shapes() const = 0;
  // P of small fronts, by position: pivot k of a front is in row row_sources()[first + k], counted
  // from the front's first pivot. 0 for other fronts; empty where rows are fixed. Copies.
  virtual std::vector<std::uint8_t> row_sources() const { return {}; }
  // |pivot| by position, as it divides after tiny ones were replaced. Copies.
  virtual std::vector<double> pivot_sizes() const = 0;
  // SHA-256 of stored_values() as little-endian doubles, then of row_sources().
  std::string values_sha256() const override;
};

// Where the stored entries of fronts (FrontFactors::stored_values) have the reciprocals of the
// pivots, by position: on the diagonals of the inverses of U. `n` positions in all.
std::vector<Offset> reciprocal_places(std::span<const FrontShape> shapes, Index n);

}  // namespace lufact
