// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <vector>

#include "core/fronts/analysis/amalgamation_set.hpp"
#include "core/fronts/analysis/subtree_ranges.hpp"

namespace lufact {

// The supernodes that amalgamation leaves, numbered in postorder.
struct AmalgamatedSets {
  std::vector<Index> first{0};  // set s has the columns at positions first[s] .. first[s+1]
  std::vector<Index> parent;    // -1 for a root
  std::vector<Index> rows;      // number of contribution rows
  // By supernode before amalgamation: the one that has its columns now, and the first's position.
  std::vector<Index> now, place;

  Index count() const noexcept { return static_cast<Index>(parent.size()); }
};

// Makes supernode s of a postorder as it is before amalgamation: into == s, below == 0. Called once
// for each s, by several threads.
using StartSet = std::function<AmalgamationSet(Index)>;

// Merges supernodes into their parents while the explicit zeros that this stores stay few (relaxed
// amalgamation: Ashcraft and Grimes, ACM Trans. Math. Software 15, 1989), children with many rows
// first. Then merges on the longest paths where that shortens these (shorten_paths). One thread
// merges the supernodes of a range, several ranges at the same time; the result is the same for any
// ranges.
AmalgamatedSets amalgamate(Index count, const SubtreeRanges& ranges, int threads,
                           const FrontPathRates& rates, const StartSet& start);

}  // namespace lufact
