// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/supernodes.hpp"

#include <utility>

#include "core/fronts/merge_sets.hpp"

namespace lufact {
namespace {

std::size_t at(Index i) noexcept {
  return static_cast<std::size_t>(i);
}

// Sets of nested columns: that of each column, and the first column of each and one beyond.
struct NestedColumns {
  std::vector<Index> set_of, first;

  NestedColumns(std::span<const Index> parent, std::span<const Index> count)
      : set_of(parent.size()) {
    first.reserve(parent.size() + 1);
    for (std::size_t j = 0; j < parent.size(); ++j) {
      const bool nested = j > 0 && at(parent[j - 1]) == j && count[j - 1] == count[j] + 1;
      if (!nested) first.push_back(static_cast<Index>(j));
      set_of[j] = static_cast<Index>(first.size()) - 1;
    }
    first.push_back(static_cast<Index>(parent.size()));
  }
  Index sets() const { return static_cast<Index>(first.size()) - 1; }
};

// Ranges of sets from those of columns. A set that ends beyond a range is in none.
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

// Set s of nested columns before anything is merged.
MergingSet start_set(const ColumnForest& forest, std::span<const Index> count,
                     const NestedColumns& nested, Index s) {
  const Index first = nested.first[at(s)], last = nested.first[at(s) + 1] - 1;
  const Index parent = forest.parent[at(last)];
  const Index first_descendant = last + 1 - forest.size[at(last)];
  return {.parent = parent < 0 ? -1 : nested.set_of[at(parent)],
          .pivots = last + 1 - first,
          .order = count[at(first)],
          .into = s,
          .subtree = s + 1 - nested.set_of[at(first_descendant)],
          .zeros = 0,
          .below = 0};
}

}  // namespace

Supernodes find_supernodes(const ColumnForest& forest, std::span<const Index> count, int threads) {
  const NestedColumns nested(forest.parent, count);
  MergedSets merged =
      merge_sets(nested.sets(), ranges_of_sets(forest.ranges, nested.set_of), threads,
                 [&](Index s) { return start_set(forest, count, nested, s); });
  Supernodes result{.column = std::vector<Index>(nested.set_of.size()),
                    .position = std::vector<Index>(nested.set_of.size()),
                    .first = std::move(merged.first),
                    .parent = std::move(merged.parent),
                    .rows = std::move(merged.rows)};
  for (Index s = 0; s < nested.sets(); ++s) {
    Index position = merged.place[at(s)];
    for (Index j = nested.first[at(s)]; j < nested.first[at(s) + 1]; ++j) {
      result.position[at(j)] = position;
      result.column[at(position++)] = j;
    }
  }
  return result;
}

}  // namespace lufact
