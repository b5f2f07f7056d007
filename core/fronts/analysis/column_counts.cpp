// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/column_counts.hpp"

#include <utility>

namespace lufact {
namespace {

// The last leaf so far of each row's subtree.
using LastLeaves = std::vector<Index>;

// Results of a range of subtrees that the columns above the range need.
struct RangeEnds {
  struct RowLeaf {
    Index row, last_leaf;
  };
  std::vector<RowLeaf> rows;  // rows beyond the range that have leaves in it
  std::vector<Index> common;  // common ancestors, beyond the range, of two leaves of a row
  std::vector<Index> roots;
};

class ColumnCounter {
 public:
  ColumnCounter(const Arrowheads& entries, const ColumnForest& forest)
      : entries_(entries),
        parent_(forest.parent),
        size_(forest.size),
        count_(forest.size.size(), 0),
        ancestor_(entries.size()) {}

  // Counts the subtrees of columns begin .. end. A leaf before `begin` belongs to another range.
  RangeEnds count_range(Index begin, Index end, LastLeaves& last_leaf) {
    RangeEnds ends;
    for (Index j = begin; j < end; ++j) ancestor_[j] = j;
    for (Index j = begin; j < end; ++j) visit(j, begin, end, last_leaf, ends);
    for (RangeEnds::RowLeaf& row : ends.rows) row.last_leaf = last_leaf[at(row.row)];
    return ends;
  }

  // Joins a range to all columns before the range; `last_leaf` is that of all rows.
  void join(const RangeEnds& ends, LastLeaves& last_leaf) {
    for (const auto& [row, leaf] : ends.rows) {
      const Index before = std::exchange(last_leaf[at(row)], leaf);
      if (before >= 0) --count_[at(find(before))];
    }
    for (const Index common : ends.common) --count_[at(common)];
    for (const Index root : ends.roots) add_to_parent(root);
  }

  void start_node(Index j) { ancestor_[j] = j; }
  void count_node(Index j, LastLeaves& last_leaf) {
    RangeEnds none;
    visit(j, 0, entries_.size(), last_leaf, none);
  }
  std::vector<Index> finish() && { return std::move(count_); }

 private:
  void visit(Index j, Index begin, Index end, LastLeaves& last_leaf, RangeEnds& ends) {
    const Index first_descendant = j + 1 - size_[at(j)];
    Index leaves = first_descendant == j ? 1 : 0;
    entries_.for_later(j, [&](Index row) {
      if (last_leaf[at(row)] >= first_descendant) return;
      ++leaves;
      const Index before = std::exchange(last_leaf[at(row)], j);
      if (before >= begin) return forget_common(before, j, end, ends);
      if (row >= end) ends.rows.push_back({row, j});
    });
    count_[at(j)] += leaves;
    if (parent_[at(j)] >= end) {
      ends.roots.push_back(j);
    } else if (parent_[at(j)] >= 0) {
      add_to_parent(j);
    }
  }

  // From the least common ancestor of two leaves of a row on, the row was counted twice: subtracts
  // one.
  void forget_common(Index before, Index j, Index end, RangeEnds& ends) {
    Index common = find(before);
    if (common < j) common = parent_[at(common)];  // the root of another subtree of the range
    if (common < end) {
      --count_[at(common)];
    } else {
      ends.common.push_back(common);
    }
  }

  void add_to_parent(Index j) {
    count_[at(parent_[at(j)])] += count_[at(j)] - 1;
    ancestor_[j] = parent_[at(j)];
  }

  // The first ancestor that has not been visited, or the root of the subtree.
  Index find(Index j) {
    while (ancestor_[j] != j) {
      ancestor_[j] = ancestor_[ancestor_[j]];
      j = ancestor_[j];
    }
    return j;
  }

  const Arrowheads& entries_;
  std::span<const Index> parent_, size_;
  std::vector<Index> count_;
  UninitializedArray<Index> ancestor_;
};

}  // namespace

std::vector<Index> column_counts(const Arrowheads& entries, const ColumnForest& forest,
                                 int threads) {
  const SubtreeRanges& ranges = forest.ranges;
  ColumnCounter counter(entries, forest);
  std::vector<RangeEnds> ends(ranges.end.size());
  const auto no_leaves = [&] { return LastLeaves(at(entries.size()), -1); };
  ranges.for_each(threads, no_leaves, [&](Offset range, LastLeaves& last_leaf) {
    const auto r = static_cast<std::size_t>(range);
    ends[r] = counter.count_range(ranges.begin[r], ranges.end[r], last_leaf);
  });
  ranges.in_order(
      entries.size(), [](std::size_t) {}, [&](Index j) { counter.start_node(j); });
  LastLeaves last_leaf = no_leaves();
  ranges.in_order(
      entries.size(), [&](std::size_t r) { counter.join(ends[r], last_leaf); },
      [&](Index j) { counter.count_node(j, last_leaf); });
  return std::move(counter).finish();
}

}  // namespace lufact
