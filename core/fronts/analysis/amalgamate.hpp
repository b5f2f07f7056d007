// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <vector>

#include "core/fronts/analysis/amalgamation_set.hpp"
#include "core/fronts/analysis/subtree_ranges.hpp"

namespace lufact {

// What is left of sets of columns when they are merged, in postorder.
struct AmalgamatedSets {
  std::vector<Index> first{0};  // set s has the columns at positions first[s] .. first[s+1]
  std::vector<Index> parent;    // -1 for a root
  std::vector<Index> rows;      // rows of the set's columns beyond the set, how many
  // Of each set before merging: the set that has its columns now, and where the first of them is.
  std::vector<Index> now, place;

  Index count() const noexcept { return static_cast<Index>(parent.size()); }
};

// A set before it is merged: set s of a postorder, into == s and nothing below. Called once for
// each, from several threads.
using StartSet = std::function<AmalgamationSet(Index)>;

// Merges sets into their parents while the explicit zeros that this stores stay few (relaxed
// amalgamation: Ashcraft and Grimes, ACM Trans. Math. Software 15, 1989), children with many rows
// first, and at last where that shortens the longest paths (shorten_paths). The sets of a range are
// merged by one thread, several ranges at the same time; the result is the same for any ranges.
AmalgamatedSets amalgamate(Index count, const SubtreeRanges& ranges, int threads,
                           const FrontPathRates& rates, const StartSet& start);

}  // namespace lufact
