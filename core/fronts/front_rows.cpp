// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/front_rows.hpp"

#include <algorithm>

#include "core/fronts/child_lists.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

std::size_t at(Offset i) noexcept {
  return static_cast<std::size_t>(i);
}

// One thread's: the rows of one front after the other, children first.
class RowMerger {
 public:
  RowMerger(const PivotEntries& entries, std::span<const Index> new_position,
            const Supernodes& sets, const ChildLists& children, FrontTree& tree)
      : entries_(entries),
        new_position_(new_position),
        sets_(sets),
        children_(children),
        tree_(tree),
        mark_(at(tree.n), -1) {}

  void merge(Index f) {
    front_ = f;
    fresh_.clear();
    const std::span<const Index> base = largest_child();
    for (const Index row : base) mark_[at(row)] = f;
    for (Index c = children_.head[at(f)]; c >= 0; c = children_.next[at(c)]) {
      for (const Index row : beyond_pivots(c)) add(row);
    }
    for (Index k = sets_.first[at(f)]; k < sets_.first[at(f) + 1]; ++k) {
      for (const PivotEntry& entry : entries_.of(sets_.column[at(k)])) {
        if (entries_.redundant(entry)) continue;
        const Index row = new_position_[at(entry.later_position())];
        if (row >= tree_.first[at(f) + 1]) add(row);
      }
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

  const PivotEntries& entries_;
  std::span<const Index> new_position_;
  const Supernodes& sets_;
  const ChildLists& children_;
  FrontTree& tree_;
  std::vector<Index> mark_, fresh_;
  Index front_ = 0;
};

// Disjoint subtrees, ranges of fronts in postorder, each of a fraction of the work; `above` are the
// fronts that stand in none of them.
struct Subtrees {
  std::vector<Index> begin, end;
  std::vector<Index> above;
};

Subtrees cut_subtrees(const Supernodes& sets, const PivotEntries& entries, int threads) {
  const Index count = sets.count();
  std::vector<Offset> work(at(count), 0);
  std::vector<Index> size(at(count), 1);
  Offset all = 0;
  for (Index f = 0; f < count; ++f) {
    Offset own = sets.rows[at(f)];
    for (Index k = sets.first[at(f)]; k < sets.first[at(f) + 1]; ++k) {
      own += entries.ptr[at(sets.column[at(k)]) + 1] - entries.ptr[at(sets.column[at(k)])];
    }
    all += own;
    work[at(f)] += own;
    if (sets.parent[at(f)] < 0) continue;
    work[at(sets.parent[at(f)])] += work[at(f)];
    size[at(sets.parent[at(f)])] += size[at(f)];
  }
  const Offset most = threads > 1 ? all / (8 * Offset{threads}) : all;
  Subtrees subtrees;
  for (Index f = 0; f < count; ++f) {
    const Index parent = sets.parent[at(f)];
    if (work[at(f)] > most) {
      subtrees.above.push_back(f);
    } else if (parent < 0 || work[at(parent)] > most) {
      subtrees.begin.push_back(f + 1 - size[at(f)]);
      subtrees.end.push_back(f + 1);
    }
  }
  return subtrees;
}

}  // namespace

void find_front_rows(const PivotEntries& entries, const Supernodes& sets, int threads,
                     FrontTree& tree) {
  tree.n = static_cast<Index>(sets.column.size());
  tree.first = sets.first;
  tree.parent = sets.parent;
  tree.row_ptr.assign(1, 0);
  for (const Index rows : sets.rows) tree.row_ptr.push_back(tree.row_ptr.back() + rows);
  tree.row.resize(at(tree.row_ptr.back()));
  std::vector<Index> new_position(at(tree.n));
  for (Index k = 0; k < tree.n; ++k) new_position[at(sets.column[at(k)])] = k;

  const ChildLists children(sets.parent);
  const Subtrees subtrees = cut_subtrees(sets, entries, threads);
  const auto parts = static_cast<Offset>(std::min<std::size_t>(at(threads), subtrees.end.size()));
  std::atomic<std::size_t> next{0};
  parallel_for(parts, threads, [&](Offset) {
    RowMerger merger(entries, new_position, sets, children, tree);
    for (std::size_t s = next++; s < subtrees.end.size(); s = next++) {
      for (Index f = subtrees.begin[s]; f < subtrees.end[s]; ++f) merger.merge(f);
    }
  });
  RowMerger merger(entries, new_position, sets, children, tree);
  for (const Index f : subtrees.above) merger.merge(f);
}

}  // namespace lufact
