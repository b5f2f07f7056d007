// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/supernodes.hpp"

#include <algorithm>

namespace lufact {
namespace {

std::size_t at(Index i) noexcept {
  return static_cast<std::size_t>(i);
}

// Entries of the lower triangle's columns and of the upper triangle's rows, diagonal once, of
// `pivots` pivots of a front of order `order`.
double stored(double pivots, double order) {
  return pivots * (2 * order - pivots);
}

// A merged set of so many pivots may hold this share of zeros. Measured to be no sensitive choice.
bool worth_merging(Index pivots, double zero_share) {
  return pivots <= 8 || (pivots <= 32 && zero_share < 0.5) || (pivots <= 64 && zero_share < 0.2) ||
         zero_share < 0.05;
}

// A set while sets are merged; its number is that of the topmost set in it.
struct MergingSet {
  Index first = 0;  // of its columns before merging; they end where the next set's begin
  Index parent = -1;
  Index pivots = 0, order = 0;
  Index into = 0;     // the set that it was merged into, or itself
  Index subtree = 1;  // sets in its subtree before merging
  double zeros = 0;

  Index rows() const { return order - pivots; }
};
using MergingSets = std::vector<MergingSet>;

void merge(MergingSet& child, MergingSet& set, Index number) {
  const Index pivots = set.pivots + child.pivots;
  const Index order = set.order + child.pivots;
  const double entries = stored(pivots, order);
  const double zeros = set.zeros + child.zeros + entries - stored(set.pivots, set.order) -
                       stored(child.pivots, child.order);
  if (!worth_merging(pivots, zeros / entries)) return;
  set.pivots = pivots;
  set.order = order;
  set.zeros = zeros;
  child.into = number;
}

// The set of each column, the columns of a set being nested.
std::vector<Index> number_sets(std::span<const Index> parent, std::span<const Index> count) {
  std::vector<Index> set_of(parent.size());
  Index last = -1;
  for (std::size_t j = 0; j < parent.size(); ++j) {
    const bool nested = j > 0 && at(parent[j - 1]) == j && count[j - 1] == count[j] + 1;
    if (!nested) ++last;
    set_of[j] = last;
  }
  return set_of;
}

MergingSets make_sets(std::span<const Index> parent, std::span<const Index> count,
                      std::span<const Index> set_of) {
  MergingSets sets(set_of.empty() ? 0 : at(set_of.back()) + 1);
  for (std::size_t j = set_of.size(); j-- > 0;) {  // the first column of a set comes last
    MergingSet& set = sets[at(set_of[j])];
    if (set.pivots++ == 0 && parent[j] >= 0) set.parent = set_of[at(parent[j])];
    set.first = static_cast<Index>(j);
    set.order = count[j];
  }
  for (std::size_t s = 0; s < sets.size(); ++s) {
    sets[s].into = static_cast<Index>(s);
    if (sets[s].parent >= 0) sets[at(sets[s].parent)].subtree += sets[s].subtree;
  }
  return sets;
}

void merge_children(MergingSets& sets, Index s, std::vector<Index>& children) {
  MergingSet& set = sets[at(s)];
  children.clear();
  for (Index c = s - 1; c > s - set.subtree; c -= sets[at(c)].subtree) children.push_back(c);
  std::sort(children.begin(), children.end(), [&](Index a, Index b) {
    const Index rows_a = sets[at(a)].rows(), rows_b = sets[at(b)].rows();
    return rows_a != rows_b ? rows_a > rows_b : a < b;
  });
  for (const Index c : children) merge(sets[at(c)], set, s);
}

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

void merge_sets(MergingSets& sets, const SubtreeRanges& ranges, int threads) {
  using Children = std::vector<Index>;  // workspace
  ranges.for_each(
      threads, [] { return Children(); },
      [&](Offset range, Children& children) {
        const auto r = static_cast<std::size_t>(range);
        for (Index s = ranges.begin[r]; s < ranges.end[r]; ++s) merge_children(sets, s, children);
      });
  Children children;
  ranges.in_order(
      static_cast<Index>(sets.size()), [](std::size_t) {},
      [&](Index s) { merge_children(sets, s, children); });
}

// What is left, numbered anew; a set of merged ones keeps the place of its topmost.
Supernodes collect(MergingSets& sets, Index columns) {
  for (auto set = sets.rbegin(); set != sets.rend(); ++set) set->into = sets[at(set->into)].into;
  Supernodes result;
  std::vector<Index> number(sets.size()), place;
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
  result.column.resize(at(columns));
  result.position.resize(at(columns));
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const Index end = s + 1 < sets.size() ? sets[s + 1].first : columns;
    Index& to = place[at(number[at(sets[s].into)])];
    for (Index j = sets[s].first; j < end; ++j) {
      result.position[at(j)] = to;
      result.column[at(to++)] = j;
    }
  }
  return result;
}

}  // namespace

Supernodes find_supernodes(std::span<const Index> parent, std::span<const Index> count,
                           const SubtreeRanges& ranges, int threads) {
  const std::vector<Index> set_of = number_sets(parent, count);
  MergingSets sets = make_sets(parent, count, set_of);
  merge_sets(sets, ranges_of_sets(ranges, set_of), threads);
  return collect(sets, static_cast<Index>(parent.size()));
}

}  // namespace lufact
