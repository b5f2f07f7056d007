// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/front_rows.hpp"

#include <algorithm>
#include <utility>

#include "core/fronts/analysis/child_lists.hpp"
#include "core/fronts/analysis/subtree_ranges.hpp"

namespace lufact {
namespace {

// Finds the rows of one front after the other, children first; one for each thread.
class RowMerger {
 public:
  RowMerger(const Arrowheads& entries, const Supernodes& sets, const ChildLists& children,
            FrontTree& tree)
      : entries_(entries), sets_(sets), children_(children), tree_(tree), mark_(at(tree.n), -1) {}

  void merge(Index f) {
    front_ = f;
    fresh_.clear();
    const std::span<const Index> base = largest_child();
    for (const Index row : base) mark_[at(row)] = f;
    for (Index c = children_.head[at(f)]; c >= 0; c = children_.next[at(c)]) {
      for (const Index row : beyond_pivots(c)) add(row);
    }
    for (Index k = sets_.first[at(f)]; k < sets_.first[at(f) + 1]; ++k) {
      entries_.for_later(sets_.column[at(k)], [&](Index later) {
        const Index row = sets_.position[at(later)];
        if (row >= tree_.first[at(f) + 1]) add(row);
      });
    }
    std::sort(fresh_.begin(), fresh_.end());
    std::merge(base.begin(), base.end(), fresh_.begin(), fresh_.end(),
               tree_.row.begin() + tree_.row_ptr[at(f)]);
  }

 private:
  void add(Index row) {
    if (mark_[at(row)] == front_) return;
    mark_[at(row)] = front_;
    fresh_.push_back(row);
  }
  // The rows of a child that are not pivots of this front.
  std::span<const Index> beyond_pivots(Index child) const {
    const auto begin = tree_.row.begin() + tree_.row_ptr[at(child)];
    const auto end = tree_.row.begin() + tree_.row_ptr[at(child) + 1];
    return {std::lower_bound(begin, end, tree_.first[at(front_) + 1]), end};
  }
  std::span<const Index> largest_child() const {
    std::span<const Index> largest;
    for (Index c = children_.head[at(front_)]; c >= 0; c = children_.next[at(c)]) {
      const auto rows = beyond_pivots(c);
      if (rows.size() > largest.size()) largest = rows;
    }
    return largest;
  }

  const Arrowheads& entries_;
  const Supernodes& sets_;
  const ChildLists& children_;
  FrontTree& tree_;
  std::vector<Index> mark_, fresh_;
  Index front_ = 0;
};

SubtreeRanges ranges_of(const Supernodes& sets, const Arrowheads& entries, int threads) {
  if (threads == 1) return {};
  std::vector<Offset> work(sets.rows.begin(), sets.rows.end());
  for (Index f = 0; f < sets.count(); ++f) {
    for (Index k = sets.first[at(f)]; k < sets.first[at(f) + 1]; ++k) {
      work[at(f)] += entries.count(sets.column[at(k)]);
    }
  }
  return cut_subtrees(sets.parent, subtree_sizes(sets.parent), std::move(work), threads);
}

}  // namespace

void find_front_rows(const Arrowheads& entries, const Supernodes& sets, int threads,
                     FrontTree& tree) {
  tree.n = static_cast<Index>(sets.column.size());
  tree.first = sets.first;
  tree.parent = sets.parent;
  tree.row_ptr.assign(1, 0);
  tree.row_ptr.reserve(sets.rows.size() + 1);
  for (const Index rows : sets.rows) tree.row_ptr.push_back(tree.row_ptr.back() + rows);
  tree.row.resize(at(tree.row_ptr.back()));
  const ChildLists children(sets.parent);
  const SubtreeRanges ranges = ranges_of(sets, entries, threads);
  const auto make_merger = [&] { return RowMerger(entries, sets, children, tree); };
  ranges.for_each(threads, make_merger, [&](Offset range, RowMerger& merger) {
    for (Index f = ranges.begin[at(range)]; f < ranges.end[at(range)]; ++f) merger.merge(f);
  });
  RowMerger merger = make_merger();
  ranges.in_order(
      tree.fronts(), [](std::size_t) {}, [&](Index f) { merger.merge(f); });
}

}  // namespace lufact
