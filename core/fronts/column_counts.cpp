// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/column_counts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lufact {
namespace {

std::size_t at(Index i) noexcept {
  return static_cast<std::size_t>(i);
}

// Finds the leaves of row subtrees. A row's earlier leaves are known by the last of them.
class RowSubtrees {
 public:
  explicit RowSubtrees(Index n) : last_leaf_(at(n), -1), last_first_(at(n), -1), ancestor_(at(n)) {
    std::iota(ancestor_.begin(), ancestor_.end(), 0);
  }

  // Column `j`, with first descendant `first_descendant`, is a leaf of the subtree of `row`.
  bool is_leaf(Index row, Index first_descendant) const {
    return first_descendant > last_first_[at(row)];
  }
  // Enters the leaf. The least common ancestor with the leaf before it, or -1 for the first.
  Index enter(Index row, Index j, Index first_descendant) {
    last_first_[at(row)] = first_descendant;
    const Index before = std::exchange(last_leaf_[at(row)], j);
    return before < 0 ? -1 : find(before);
  }
  void join(Index j, Index parent) { ancestor_[at(j)] = parent; }

 private:
  Index find(Index j) {
    while (ancestor_[at(j)] != j) {
      ancestor_[at(j)] = ancestor_[at(ancestor_[at(j)])];
      j = ancestor_[at(j)];
    }
    return j;
  }
  std::vector<Index> last_leaf_, last_first_, ancestor_;
};

}  // namespace

std::vector<Index> column_counts(const PivotEntries& entries, std::span<const Index> parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> first_descendant(at(n)), count(at(n), 1);
  std::iota(first_descendant.begin(), first_descendant.end(), 0);
  for (Index j = 0; j < n; ++j) {
    const Index p = parent[at(j)];
    if (p < 0) continue;
    first_descendant[at(p)] = std::min(first_descendant[at(p)], first_descendant[at(j)]);
    count[at(p)] = 0;  // not a leaf of the forest
  }
  RowSubtrees subtrees(n);
  for (Index j = 0; j < n; ++j) {
    const Index p = parent[at(j)];
    if (p >= 0) --count[at(p)];
    for (const PivotEntry& entry : entries.of(j)) {
      if (entries.redundant(entry)) continue;
      const Index row = entry.later_position();
      if (row == j || !subtrees.is_leaf(row, first_descendant[at(j)])) continue;
      ++count[at(j)];
      const Index common = subtrees.enter(row, j, first_descendant[at(j)]);
      if (common >= 0) --count[at(common)];
    }
    if (p >= 0) subtrees.join(j, p);
  }
  for (Index j = 0; j < n; ++j) {
    if (parent[at(j)] >= 0) count[at(parent[at(j)])] += count[at(j)];
  }
  return count;
}

}  // namespace lufact
