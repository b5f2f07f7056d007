// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "core/fronts/analysis/subtree_ranges.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

// Sets of columns that become fronts. Columns are those of a postordered elimination forest.
struct Supernodes {
  std::vector<Index> column;    // all columns by set, ascending inside a set
  std::vector<Index> position;  // of each column in `column`
  std::vector<Index> first{0};  // set s has column[first[s] .. first[s+1])
  std::vector<Index> parent;    // -1 for a root; sets stand in postorder
  std::vector<Index> rows;      // rows of the set's columns beyond the set, how many

  Index count() const noexcept { return static_cast<Index>(parent.size()); }
};

// Columns with nested structure form a set (Liu, Ng and Peyton, SIAM J. Matrix Anal. Appl. 14,
// 1993), and so do those of small subtrees; then sets are merged (amalgamate). `count` is from
// column_counts. O(n log n); the sets of a range are merged by one thread, several ranges at the
// same time.
Supernodes find_supernodes(const ColumnForest& forest, std::span<const Index> count, int threads,
                           const FrontPathRates& rates);

}  // namespace lufact
