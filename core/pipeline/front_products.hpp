// SPDX-License-Identifier: BSD-3-Clause
// Host products of the front family: a multifrontal factorization (Duff and Reid, ACM Trans. Math.
// Software 9, 1983) on the pattern of B + B'.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/raw_vector.hpp"
#include "core/base/types.hpp"
#include "core/pipeline/front_tasks.hpp"
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
  // The tree that a device found, where it has the entries, or had them until they were put into a
  // task graph, and these three arrays are empty.
  ProductPtr entries_there;

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
  Offset entries() const noexcept { return entry_ptr.back(); }
};

class TaskGraph final : public Product {
 public:
  ProductType type() const noexcept override { return product_types::task_graph; }
  Side side() const noexcept override { return Side::host; }

  std::vector<FrontShape> shape;
  std::vector<Index> child;  // by parent, ascending
  // 1 for each front whose factors come to where contribution blocks were, but for its first tile
  // on the diagonal; empty: there is none.
  std::vector<std::uint8_t> lends;
  OrderedTasks factorization;
  // Parts of the factorization: part p ends at ticket part_end[p], and begins when the part before
  // is complete.
  std::vector<Index> part_end;
  // One task for each small front and for each tile row of a larger front, with the child blocks of
  // that front or of the row's diagonal tile. Taken in this order for L and backwards for U, where
  // only pivot rows have work.
  OrderedTasks solve;
  // Where factors are kept on the host, they come to the device part by part: those of part p are
  // the stored entries up to factor_end[p], and its tickets of the solve end at solve_end[p]. Parts
  // are those of the factorization. Empty where all factors stay on the device.
  std::vector<Offset> factor_end;
  std::vector<Index> solve_end;
  std::vector<ChildBlock> block;         // by task, children ascending
  RawVector<Index> entry_source;         // by task: position among the values of B
  RawVector<std::uint16_t> entry_place;  // row and column in the tile: row + 256 * column
  // The tree on a device that places its own entries, `entries_unplaced` of them, where both arrays
  // are empty; tasks of the factorization have no ranges of entries then.
  ProductPtr entries_there;
  Offset entries_unplaced = 0;
  Offset factor_entries = 0;        // entries that the factors store
  Offset contribution_entries = 0;  // entries of the contribution arena, which stands behind the
                                    // factors where blocks are in their place, too
  Index flags = 0;                  // stored tiles of all fronts
  double critical_path = 0;         // of the factorization, estimated, in seconds

  Offset entries() const noexcept {
    return entries_unplaced + static_cast<Offset>(entry_source.size());
  }
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
