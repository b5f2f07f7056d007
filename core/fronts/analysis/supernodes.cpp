// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/supernodes.hpp"

#include <algorithm>
#include <utility>

#include "core/fronts/analysis/amalgamate.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Index sets_per_part = 4096;

// The supernodes before amalgamation, each of consecutive columns: set_of[j] is that of column j,
// set s has the columns first[s] .. first[s+1]. Columns of a set have nested structure or are all
// columns of a subtree so small that it is always merged.
struct ColumnSets {
  std::vector<Index> set_of, first;

  ColumnSets(const ColumnForest& forest, std::span<const Index> count)
      : set_of(forest.parent.size()) {
    const std::span<const Index> parent = forest.parent;
    const auto nested = [&](std::size_t j) {
      return j > 0 && at(parent[j - 1]) == j && count[j - 1] == count[j] + 1;
    };
    first.push_back(static_cast<Index>(parent.size()));
    while (first.back() > 0) {  // from the last column of each set down
      const Index last = first.back() - 1, size = forest.size[at(last)];
      Index begin = last;
      if (size <= always_amalgamated) {
        begin = last + 1 - size;
      } else {
        while (nested(at(begin))) --begin;
      }
      first.push_back(begin);
    }
    std::reverse(first.begin(), first.end());
    for (Index s = 0; s < sets(); ++s) {
      std::fill(set_of.begin() + first[at(s)], set_of.begin() + first[at(s) + 1], s);
    }
  }
  Index sets() const { return static_cast<Index>(first.size()) - 1; }
};

// Ranges of sets from ranges of columns. A set that ends beyond a range of columns is in no range.
SubtreeRanges ranges_of_sets(const SubtreeRanges& columns, std::span<const Index> set_of) {
  SubtreeRanges sets;
  for (std::size_t r = 0; r < columns.end.size(); ++r) {
    const std::size_t end = at(columns.end[r]);
    const bool whole = end == set_of.size() || set_of[end] != set_of[end - 1];
    sets.begin.push_back(set_of[at(columns.begin[r])]);
    sets.end.push_back(set_of[end - 1] + (whole ? 1 : 0));
  }
  return sets;
}

// Set s before amalgamation.
AmalgamationSet start_set(const ColumnForest& forest, std::span<const Index> count,
                          const ColumnSets& sets, Index s) {
  const Index first = sets.first[at(s)], last = sets.first[at(s) + 1] - 1;
  const Index pivots = last + 1 - first, order = pivots + count[at(last)] - 1;
  const Index parent = forest.parent[at(last)];
  const Index first_descendant = last + 1 - forest.size[at(last)];
  double zeros = 0;  // nested columns store none
  for (Index k = 0; k < pivots && pivots <= always_amalgamated; ++k) {
    zeros += 2.0 * (order - k - count[at(first + k)]);
  }
  return {.parent = parent < 0 ? -1 : sets.set_of[at(parent)],
          .pivots = pivots,
          .order = order,
          .into = s,
          .subtree = s + 1 - sets.set_of[at(first_descendant)],
          .own = pivots,
          .zeros = zeros,
          .below = 0};
}

}  // namespace

Supernodes find_supernodes(const ColumnForest& forest, std::span<const Index> count, int threads,
                           const FrontPathRates& rates) {
  const ColumnSets sets(forest, count);
  AmalgamatedSets merged =
      amalgamate(sets.sets(), ranges_of_sets(forest.ranges, sets.set_of), threads, rates,
                 [&](Index s) { return start_set(forest, count, sets, s); });
  Supernodes result{.column = std::vector<Index>(sets.set_of.size()),
                    .position = std::vector<Index>(sets.set_of.size()),
                    .first = std::move(merged.first),
                    .parent = std::move(merged.parent),
                    .rows = std::move(merged.rows)};
  parallel_for(round_up(sets.sets(), sets_per_part) / sets_per_part, threads, [&](Offset part) {
    const auto begin = static_cast<Index>(part) * sets_per_part;
    const Index end = std::min(begin + sets_per_part, sets.sets());
    for (Index s = begin; s < end; ++s) {
      Index position = merged.place[at(s)];
      for (Index j = sets.first[at(s)]; j < sets.first[at(s) + 1]; ++j) {
        result.position[at(j)] = position;
        result.column[at(position++)] = j;
      }
    }
  });
  return result;
}

}  // namespace lufact
