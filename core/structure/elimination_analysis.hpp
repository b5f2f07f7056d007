// SPDX-License-Identifier: BSD-3-Clause
// What eliminating a matrix will take, from its elimination forest and column counts: nothing here
// is as large as the factors.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/fronts/analysis/arrowheads.hpp"
#include "core/fronts/analysis/postordered_pattern.hpp"
#include "core/fronts/analysis/subtree_ranges.hpp"
#include "core/fronts/analysis/supernodes.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Of LU on the pattern of B + B'. That is the pattern of L + U itself where B's is symmetric, and
// a bound of it otherwise. Columns have positions in a postorder of the elimination forest; label()
// says where B has them. Nearly O(n + nnz) time and memory.
class EliminationAnalysis {
 public:
  // `b` must outlive this. Throws Error{unsupported, "index_overflow"} for more than 2^31 - 1
  // entries.
  EliminationAnalysis(const PermutedMatrix& b, int threads);
  EliminationAnalysis(const EliminationAnalysis&) = delete;
  EliminationAnalysis& operator=(const EliminationAnalysis&) = delete;

  Index size() const noexcept { return entries_.size(); }
  bool exact() const noexcept { return entries_.symmetric; }
  Index label(Index position) const noexcept { return pattern_.label(position); }
  std::span<const Index> parent() const noexcept { return forest_.parent; }  // -1 for a root
  // Entries of each column of L, diagonal included.
  std::span<const Index> column_count() const noexcept { return count_; }

  Offset nnz_lu() const noexcept;  // diagonal once
  double flops() const noexcept;   // one per division, two per multiply-add

  // The columns of L, those with nested structure (each has the rows of the next, and itself)
  // together: every column of a front has exactly the front's rows from itself on. Fills n, label,
  // first, parent, row_ptr and row. Throws Error{oom_host, "fill_structure"} where the lists of
  // rows would take more than `most_bytes`.
  FrontTree nested_columns(std::uint64_t most_bytes) const;
  // The fronts that a front mode makes of them, but for those that only group children.
  Supernodes fronts(const FrontPathRates& rates) const;

 private:
  Supernodes nested_sets() const;

  int threads_;
  PostorderedPattern pattern_;
  Arrowheads entries_;
  ColumnForest forest_;
  std::vector<Index> count_;
};

}  // namespace lufact
