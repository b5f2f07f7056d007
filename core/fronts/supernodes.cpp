// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/supernodes.hpp"

#include <algorithm>
#include <utility>

#include "core/fronts/shorten_paths.hpp"

namespace lufact {
namespace {

std::size_t at(Index i) noexcept {
  return static_cast<std::size_t>(i);
}

// A merged set of so many pivots may hold this share of zeros. Measured to be no sensitive choice.
bool worth_merging(Index pivots, double zero_share) {
  return pivots <= 8 || (pivots <= 32 && zero_share < 0.5) || (pivots <= 64 && zero_share < 0.2) ||
         zero_share < 0.05;
}

// What is merged passes the path below it on.
void merge(MergingSet& child, MergingSet& set, Index number) {
  const Index pivots = set.pivots + child.pivots;
  const double zeros = set.zeros_with(child);
  if (worth_merging(pivots, zeros / stored_entries(pivots, set.order + child.pivots))) {
    set.absorb(child);
    child.into = number;
  }
  set.below = std::max(set.below, child.into == number ? child.below : child.path());
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

class SetMerger {
 public:
  SetMerger(const ColumnForest& forest, std::span<const Index> count, const NestedColumns& nested)
      : forest_(forest), count_(count), nested_(nested), sets_(at(nested.sets())) {}

  // Makes set s and merges its children, which were made before.
  void make(Index s, std::vector<Index>& children) {
    const Index first = nested_.first[at(s)], last = nested_.first[at(s) + 1] - 1;
    const Index parent = forest_.parent[at(last)];
    const Index first_descendant = last + 1 - forest_.size[at(last)];
    sets_[at(s)] = {.parent = parent < 0 ? -1 : nested_.set_of[at(parent)],
                    .pivots = last + 1 - first,
                    .order = count_[at(first)],
                    .into = s,
                    .subtree = s + 1 - nested_.set_of[at(first_descendant)],
                    .zeros = 0,
                    .below = 0};
    merge_children(s, children);
  }
  MergingSets finish() && { return std::move(sets_); }

 private:
  void merge_children(Index s, std::vector<Index>& children) {
    MergingSet& set = sets_[at(s)];
    children.clear();
    for (Index c = s - 1; c > s - set.subtree; c -= sets_[at(c)].subtree) children.push_back(c);
    std::sort(children.begin(), children.end(), [&](Index a, Index b) {
      const Index rows_a = sets_[at(a)].rows(), rows_b = sets_[at(b)].rows();
      return rows_a != rows_b ? rows_a > rows_b : a < b;
    });
    for (const Index c : children) merge(sets_[at(c)], set, s);
  }

  const ColumnForest& forest_;
  std::span<const Index> count_;
  const NestedColumns& nested_;
  MergingSets sets_;
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

MergingSets merge_sets(const ColumnForest& forest, std::span<const Index> count,
                       const NestedColumns& nested, int threads) {
  SetMerger merger(forest, count, nested);
  const SubtreeRanges ranges = ranges_of_sets(forest.ranges, nested.set_of);
  using Children = std::vector<Index>;  // workspace
  ranges.for_each(
      threads, [] { return Children(); },
      [&](Offset range, Children& children) {
        const auto r = static_cast<std::size_t>(range);
        for (Index s = ranges.begin[r]; s < ranges.end[r]; ++s) merger.make(s, children);
      });
  Children children;
  ranges.in_order(
      nested.sets(), [](std::size_t) {}, [&](Index s) { merger.make(s, children); });
  return std::move(merger).finish();
}

// What is left, numbered anew; a set of merged ones keeps the place of its topmost.
Supernodes collect(MergingSets& sets, const NestedColumns& nested) {
  for (auto set = sets.rbegin(); set != sets.rend(); ++set) set->into = sets[at(set->into)].into;
  Supernodes result;
  result.first.reserve(sets.size() + 1);
  result.rows.reserve(sets.size());
  result.parent.reserve(sets.size());
  std::vector<Index> number(sets.size()), place;
  place.reserve(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (at(sets[s].into) != s) continue;
    number[s] = result.count();
    place.push_back(result.first.back());
    result.first.push_back(result.first.back() + sets[s].pivots);
    result.rows.push_back(sets[s].rows());
    result.parent.push_back(sets[s].parent);
  }
  for (Index& parent : result.parent) {
    if (parent >= 0) parent = number[at(sets[at(parent)].into)];
  }
  result.column.resize(nested.set_of.size());
  result.position.resize(nested.set_of.size());
  for (std::size_t s = 0; s < sets.size(); ++s) {
    Index& to = place[at(number[at(sets[s].into)])];
    for (Index j = nested.first[s]; j < nested.first[s + 1]; ++j) {
      result.position[at(j)] = to;
      result.column[at(to++)] = j;
    }
  }
  return result;
}

}  // namespace

Supernodes find_supernodes(const ColumnForest& forest, std::span<const Index> count, int threads) {
  const NestedColumns nested(forest.parent, count);
  MergingSets sets = merge_sets(forest, count, nested, threads);
  shorten_paths(sets);
  return collect(sets, nested);
}

}  // namespace lufact
