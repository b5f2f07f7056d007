// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/amalgamate.hpp"

#include <algorithm>

#include "core/fronts/analysis/renumber_supernodes.hpp"
#include "core/fronts/analysis/shorten_paths.hpp"

namespace lufact {
namespace {

// From these sizes on supernodes are renumbered by range, which takes twice the work and starts
// threads three times.
constexpr int worthwhile_threads = 4;
constexpr Index worthwhile_sets = 10'000;

// Whether a merged supernode of so many pivots may store this share of zeros. The limits are no
// sensitive choice, as measurements show.
bool worth_merging(Index pivots, double zero_share) {
  return pivots <= always_amalgamated || (pivots <= 32 && zero_share < 0.5) ||
         (pivots <= 64 && zero_share < 0.2) || zero_share < 0.05;
}

// Merges a child into `set`, whose number is `number`, where that is worthwhile. The path below a
// merged child becomes a path below `set`.
void merge(AmalgamationSet& child, AmalgamationSet& set, Index number,
           const FrontPathRates& rates) {
  const Index pivots = set.pivots + child.pivots;
  const double zeros = set.zeros_with(child);
  if (worth_merging(pivots, zeros / stored_entries(pivots, set.order + child.pivots))) {
    set.absorb(child);
    child.into = number;
  }
  set.below = std::max(set.below, child.into == number ? child.below : child.path(rates));
}

// Merges children into set s. Each child has been merged with its own children before.
void merge_children(Index s, AmalgamationSets& sets, const FrontPathRates& rates,
                    std::vector<Index>& children) {
  AmalgamationSet& set = sets[at(s)];
  children.clear();
  for (Index c = s - 1; c > s - set.subtree; c -= sets[at(c)].subtree) children.push_back(c);
  std::sort(children.begin(), children.end(), [&](Index a, Index b) {
    const Index rows_a = sets[at(a)].rows(), rows_b = sets[at(b)].rows();
    return rows_a != rows_b ? rows_a > rows_b : a < b;
  });
  for (const Index c : children) merge(sets[at(c)], set, s, rates);
}

AmalgamationSets merge_upwards(Index count, const SubtreeRanges& ranges, int threads,
                               const FrontPathRates& rates, const StartSet& start) {
  AmalgamationSets sets(at(count));
  using Children = std::vector<Index>;  // workspace
  const auto make = [&](Index s, Children& children) {
    sets[at(s)] = start(s);
    merge_children(s, sets, rates, children);
  };
  ranges.for_each(
      threads, [] { return Children(); },
      [&](Offset range, Children& children) {
        const auto r = static_cast<std::size_t>(range);
        for (Index s = ranges.begin[r]; s < ranges.end[r]; ++s) make(s, children);
      });
  Children children;
  ranges.in_order(
      count, [](std::size_t) {}, [&](Index s) { make(s, children); });
  return sets;
}

}  // namespace

AmalgamatedSets amalgamate(Index count, const SubtreeRanges& ranges, int threads,
                           const FrontPathRates& rates, const StartSet& start) {
  AmalgamationSets sets = merge_upwards(count, ranges, threads, rates, start);
  shorten_paths(sets, rates);
  const bool by_range = threads >= worthwhile_threads && count >= worthwhile_sets;
  return renumber_supernodes(sets, by_range ? ranges : SubtreeRanges{}, threads);
}

}  // namespace lufact
