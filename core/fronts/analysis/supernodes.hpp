// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "core/fronts/analysis/subtree_ranges.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

// Sets of columns that become fronts. Columns are numbered by a postorder of the elimination
// forest.
struct Supernodes {
  std::vector<Index> column;    // all columns by set, ascending inside a set
  std::vector<Index> position;  // of each column in `column`
  std::vector<Index> first{0};  // set s has column[first[s] .. first[s+1])
  std::vector<Index> parent;    // -1 for a root; sets stand in postorder
  std::vector<Index> rows;      // number of contribution rows: rows of its columns outside it

  Index count() const noexcept { return static_cast<Index>(parent.size()); }
};

// Columns with nested structure form a supernode (Liu, Ng and Peyton, SIAM J. Matrix Anal. Appl.
// 14, 1993), and so do the columns of a small subtree; then supernodes are merged (amalgamate).
// `count` is from column_counts. O(n log n); one thread merges the supernodes of a range, several
// ranges at the same time.
Supernodes find_supernodes(const ColumnForest& forest, std::span<const Index> count, int threads,
                           const FrontPathRates& rates);

}  // namespace lufact
