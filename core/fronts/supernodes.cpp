// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/supernodes.hpp"

#include <algorithm>
#include <utility>

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

// Sets while they are merged; a set's number is that of the topmost set in it.
struct MergingSets {
  std::vector<Index> first;  // of the columns before merging, one more than sets
  std::vector<Index> parent, pivots, order;
  std::vector<double> zeros;
  std::vector<Index> into;  // the set that it was merged into, or itself

  Index count() const { return static_cast<Index>(parent.size()); }

  bool merge(Index child, Index set) {
    const Index merged_pivots = pivots[at(set)] + pivots[at(child)];
    const Index merged_order = order[at(set)] + pivots[at(child)];
    const double entries = stored(merged_pivots, merged_order);
    const double merged_zeros = zeros[at(set)] + zeros[at(child)] + entries -
                                stored(pivots[at(set)], order[at(set)]) -
                                stored(pivots[at(child)], order[at(child)]);
    if (!worth_merging(merged_pivots, merged_zeros / entries)) return false;
    pivots[at(set)] = merged_pivots;
    order[at(set)] = merged_order;
    zeros[at(set)] = merged_zeros;
    into[at(child)] = set;
    return true;
  }
};

MergingSets nested_columns(std::span<const Index> parent, std::span<const Index> count) {
  const auto n = static_cast<Index>(parent.size());
  MergingSets sets;
  std::vector<Index> set_of(at(n));
  for (Index j = 0; j < n; ++j) {
    const bool nested = j > 0 && parent[at(j) - 1] == j && count[at(j) - 1] == count[at(j)] + 1;
    if (!nested) sets.first.push_back(j);
    set_of[at(j)] = static_cast<Index>(sets.first.size()) - 1;
  }
  const auto sets_count = static_cast<Index>(sets.first.size());
  sets.first.push_back(n);
  for (Index s = 0; s < sets_count; ++s) {
    const Index above = parent[at(sets.first[at(s) + 1]) - 1];
    sets.parent.push_back(above < 0 ? -1 : set_of[at(above)]);
    sets.pivots.push_back(sets.first[at(s) + 1] - sets.first[at(s)]);
    sets.order.push_back(count[at(sets.first[at(s)])]);
    sets.into.push_back(s);
  }
  sets.zeros.assign(sets.parent.size(), 0.0);
  return sets;
}

void merge_children(MergingSets& sets) {
  std::vector<Index> head(sets.parent.size(), -1), next(sets.parent.size(), -1), children;
  const auto rows = [&](Index s) { return sets.order[at(s)] - sets.pivots[at(s)]; };
  for (Index s = 0; s < sets.count(); ++s) {
    children.clear();
    for (Index c = head[at(s)]; c >= 0; c = next[at(c)]) children.push_back(c);
    std::sort(children.begin(), children.end(),
              [&](Index a, Index b) { return rows(a) != rows(b) ? rows(a) > rows(b) : a < b; });
    for (const Index c : children) sets.merge(c, s);
    if (sets.parent[at(s)] < 0) continue;
    next[at(s)] = std::exchange(head[at(sets.parent[at(s)])], s);
  }
}

// What is left, numbered anew; a set of merged ones keeps the place of its topmost.
Supernodes collect(MergingSets& sets) {
  Supernodes result;
  std::vector<Index> number(sets.parent.size(), -1);
  for (Index s = sets.count() - 1; s >= 0; --s) {
    sets.into[at(s)] = sets.into[at(sets.into[at(s)])];
  }
  for (Index s = 0; s < sets.count(); ++s) {
    if (sets.into[at(s)] != s) continue;
    number[at(s)] = static_cast<Index>(result.first.size()) - 1;
    result.first.push_back(result.first.back() + sets.pivots[at(s)]);
    result.rows.push_back(sets.order[at(s)] - sets.pivots[at(s)]);
  }
  std::vector<Index> place(result.first.begin(), result.first.end() - 1);
  result.column.resize(at(sets.first.back()));
  result.parent.assign(place.size(), -1);
  for (Index s = 0; s < sets.count(); ++s) {
    const Index set = number[at(sets.into[at(s)])];
    for (Index j = sets.first[at(s)]; j < sets.first[at(s) + 1]; ++j) {
      result.column[at(place[at(set)]++)] = j;
    }
    if (sets.into[at(s)] == s && sets.parent[at(s)] >= 0) {
      result.parent[at(set)] = number[at(sets.into[at(sets.parent[at(s)])])];
    }
  }
  return result;
}

}  // namespace

Supernodes find_supernodes(std::span<const Index> parent, std::span<const Index> count) {
  MergingSets sets = nested_columns(parent, count);
  merge_children(sets);
  return collect(sets);
}

}  // namespace lufact
