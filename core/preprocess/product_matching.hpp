// SPDX-License-Identifier: BSD-3-Clause
// Minimum-cost perfect matching of a sparse square bipartite graph by shortest augmenting paths.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "core/base/types.hpp"
#include "core/matrix/pattern.hpp"
#include "core/preprocess/column_heap.hpp"

namespace lufact {

// Matches rows to columns so that the sum of the matched costs is least among all matchings of
// largest size that this search meets; for a perfect matching that is the global minimum.
//
// Algorithm: Duff and Koster, "On algorithms for permuting large entries to the diagonal of a
// sparse matrix", SIAM J. Matrix Anal. Appl. 22(4), 2001, sections 3 and 4, by rows instead of
// columns: duals from row and column minima, a greedy matching of entries of zero reduced cost with
// one-step augmentations, then the augmenting row reduction of Jonker and Volgenant, "A shortest
// augmenting path algorithm for dense and sparse linear assignment problems", Computing 38, 1987,
// and one Dijkstra search per row that is still free. Reduced costs c_ij - row_dual_i - col_dual_j
// are never negative (up to rounding) and zero on matched entries.
//
// What goes over all entries is parallel, and the same for every number of threads. The searches
// come one after another: run many at a time, they get into each other's way, and on the matrices
// where they take long the longest of each batch add up to no less than all of them in a row.
//
// The pattern and the costs must outlive the object. Costs are >= 0; +infinity stands for an entry
// that is not there.
class ProductMatching {
 public:
  ProductMatching(const PatternView& pattern, std::span<const double> costs, int threads);

  // Feasible duals and a greedy matching of entries of zero reduced cost, the diagonal first.
  // O(nnz). Call one of the two, once. From minima: every row and column gets an entry of reduced
  // cost zero. From a guess of the column duals: every row gets one, and every column that no
  // diagonal entry has matched.
  void start_from_minima();
  void start_from_column_duals(std::span<const double> duals);
  // One shortest augmenting path per free row. Returns the number of matched rows. Columns that a
  // failed search reached lead to no free column, so later searches leave them out: all failures
  // together cost one pass over the matrix. After a failure the duals are no longer feasible.
  Index match_optimally();

  Index matched() const noexcept { return matched_; }
  Index column_of_row(Index i) const noexcept { return rows_[i].column; }
  Index row_of_column(Index j) const noexcept { return columns_[j].row; }
  // Position of the entry that matches row i, -1 for a free row.
  Offset entry_of_row(Index i) const noexcept { return rows_[i].entry; }
  double row_dual(Index i) const noexcept { return rows_[i].dual; }
  double column_dual(Index j) const noexcept { return columns_[j].dual; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  struct Row {
    double dual = 0;
    Offset entry = -1;  // position of the matched entry
    Index column = -1;
  };

  double reduced_cost(Offset p, Index i) const noexcept {
    return costs_[p] - columns_[pattern_.col_idx[p]].dual - rows_[i].dual;
  }
  template <class Offer>
  void lower_to_column_minima(std::span<double> minima, const Offer& offer) const;
  void set_row_duals();
  void raise_free_column_duals();
  void match_greedily();
  void match(Index i, Offset p) noexcept;
  void match_diagonal() noexcept;
  bool match_directly(Index i) noexcept;
  bool match_with_one_step(Index i, std::vector<Offset>& next) noexcept;
  std::vector<Index> free_rows() const;
  struct LeastTwo;
  LeastTwo least_two(Index i) const noexcept;
  void reduce_free_rows();
  Index take_cheapest_column(Index i) noexcept;

  bool augment_from(Index root);
  void scan_row(Index i, double distance);
  void reach(Index j, Index i, Offset p, double distance);
  Index next_column();
  void flip_path(Index root) noexcept;
  void update_duals(Index root) noexcept;
  void forget_search() noexcept;
  void abandon_reached_columns() noexcept;

  PatternView pattern_;
  std::span<const double> costs_;
  int threads_;
  std::vector<Row> rows_;
  std::vector<MatchingColumn> columns_;
  Index matched_ = 0;

  // The state of one search; only what a search touched is reset after it.
  ColumnHeap heap_;
  std::vector<Index> nearest_;  // reached at the distance of the last scan: no heap needed
  std::vector<Index> reached_;  // every column with a finite distance
  std::vector<Index> scanned_;  // columns whose row was scanned
  double last_distance_ = 0;    // of the last scanned column
  double path_length_ = infinity;
  Offset path_entry_ = -1;  // last entry of the best augmenting path
  Index path_row_ = -1;
};

}  // namespace lufact
