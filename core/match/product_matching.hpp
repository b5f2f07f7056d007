// SPDX-License-Identifier: BSD-3-Clause
// Minimum-cost perfect matching of a sparse square bipartite graph by shortest augmenting paths.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "core/base/types.hpp"
#include "core/match/augmenting_paths.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// Matches rows to columns so that the sum of the matched costs is least among all matchings of
// largest size that this search meets; for a perfect matching that is the global minimum.
//
// Algorithm: Duff and Koster, "On algorithms for permuting large entries to the diagonal of a
// sparse matrix", SIAM J. Matrix Anal. Appl. 22(4), 2001, sections 3 and 4: duals from row and
// column minima, a greedy matching of entries of zero reduced cost with one-step augmentations,
// then augmenting paths for the rows that are still free (augmenting_paths.hpp). Reduced costs c_ij
// - row_dual_i - col_dual_j are never negative (up to rounding) and zero on matched entries. Where
// the greedy matching leaves many rows free, the duals are far from optimal, and where there are
// entries enough for several threads the greedy matching is repeated with better ones
// (entropic_duals.hpp).
//
// Passes over all entries are parallel, with the same result for every number of threads. The
// searches of one side run one after another: many at a time get into each other's way, and on
// matrices where searches take long, the longest search of each batch adds up to no less than all
// searches in a row. But free columns can search for rows as well as free rows for columns. One of
// the two takes several times less work, and nothing that is cheap to compute tells which. So long
// searches run from both sides at once, each on its own copy of the state, and the result of the
// side that needs less work is kept.
//
// The pattern and the costs must outlive the object. Costs are >= 0; +infinity stands for an entry
// that is not there.
class ProductMatching {
 public:
  ProductMatching(const PatternView& pattern, std::span<const double> costs, int threads);

  // Finds feasible duals and a greedy matching of entries of zero reduced cost, the diagonal first.
  // O(nnz). Call one of the two, once. start_from_minima gives every row and column an entry of
  // zero reduced cost. start_from_column_duals, which takes a guess of the column duals, gives one
  // to every row and to every column that no diagonal entry has matched.
  void start_from_minima();
  void start_from_column_duals(std::span<const double> duals);
  // Returns the number of matched rows. Where some stay free the duals are no longer feasible.
  Index match_optimally();

  // Valid after match_optimally().
  Index matched() const noexcept { return matched_; }
  Index column_of_row(Index i) const noexcept { return state_.sources[i].target; }
  Index row_of_column(Index j) const noexcept { return state_.source_of_target[j]; }
  // Position of the entry that matches row i, -1 for a free row.
  Offset entry_of_row(Index i) const noexcept { return state_.sources[i].entry; }
  double row_dual(Index i) const noexcept { return state_.sources[i].dual; }
  double column_dual(Index j) const noexcept { return state_.targets[j].dual; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double reduced_cost(Offset p, Index i) const noexcept {
    return costs_[p] - state_.targets[pattern_.col_idx[p]].dual - state_.sources[i].dual;
  }
  bool is_free_column(Index j) const noexcept { return state_.source_of_target[j] < 0; }
  template <class Offer>
  nd::Buffer<double> column_minima(double unless, const Offer& offer) const;
  void start_with(std::span<const double> column_duals);
  void raise_free_column_duals();
  void match_greedily();
  void match(Index i, Offset p) noexcept;
  bool match_directly(Index i) noexcept;
  bool match_with_one_step(Index i, std::vector<Index>& searched) noexcept;
  // Returns the number of rows that stay free.
  Index search_from_both_sides(AugmentingPaths& rows);
  void adopt(const AssignmentState& by_column) noexcept;

  PatternView pattern_;
  std::span<const double> costs_;
  int threads_;
  AssignmentState state_;         // sources are the rows
  std::vector<Index> free_rows_;  // what greedy matching has left, ascending
  Index matched_ = 0;
};

}  // namespace lufact
