// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/place_fronts.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/fronts/child_lists.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Index fronts_per_part = 256;

std::size_t at(Offset i) noexcept {
  return static_cast<std::size_t>(i);
}

// Numbers of the rows of one front after the other.
class RowNumbers {
 public:
  explicit RowNumbers(const FrontTree& tree) : tree_(tree), number_(at(tree.n)) {}

  void select(Index f) {
    if (std::exchange(selected_, f) == f) return;
    Index number = 0;
    for (Index k = tree_.first[at(f)]; k < tree_.first[at(f) + 1]; ++k) number_[at(k)] = number++;
    for (Offset p = tree_.row_ptr[at(f)]; p < tree_.row_ptr[at(f) + 1]; ++p) {
      number_[at(tree_.row[at(p)])] = number++;
    }
  }
  // Of the row at `position`, which the selected front has.
  Index operator[](Index position) const { return number_[at(position)]; }

 private:
  const FrontTree& tree_;
  std::vector<Index> number_;
  Index selected_ = -1;
};

// Calls body(f, rows) for every front, `rows` being a thread's.
template <class Body>
void for_fronts(const FrontTree& tree, int threads, const Body& body) {
  const Index parts = round_up(tree.fronts(), fronts_per_part) / fronts_per_part;
  std::atomic<Index> next{0};
  parallel_for(std::min<Offset>(threads, parts), threads, [&](Offset) {
    RowNumbers rows(tree);
    for (Index part = next++; part < parts; part = next++) {
      const Index begin = part * fronts_per_part;
      const Index end = std::min(begin + fronts_per_part, tree.fronts());
      for (Index f = begin; f < end; ++f) body(f, rows);
    }
  });
}

}  // namespace

void find_parent_rows(FrontTree& tree, int threads) {
  tree.parent_row.resize(tree.row.size());
  // Each front for its children, so that its rows are numbered once.
  const ChildLists children(tree.parent);
  for_fronts(tree, threads, [&](Index f, RowNumbers& rows) {
    for (Index c = children.head[at(f)]; c >= 0; c = children.next[at(c)]) {
      rows.select(f);
      for (Offset p = tree.row_ptr[at(c)]; p < tree.row_ptr[at(c) + 1]; ++p) {
        tree.parent_row[at(p)] = rows[tree.row[at(p)]];
      }
    }
  });
}

void place_entries(const PostorderedPattern& pattern, const PivotEntries& entries,
                   const Supernodes& sets, int threads, FrontTree& tree) {
  std::vector<Index> new_position(at(tree.n));
  tree.label.resize(at(tree.n));
  tree.entry_ptr.assign(1, 0);
  for (Index f = 0; f < tree.fronts(); ++f) {
    Offset count = 0;
    for (Index k = tree.first[at(f)]; k < tree.first[at(f) + 1]; ++k) {
      const Index before = sets.column[at(k)];
      new_position[at(before)] = k;
      tree.label[at(k)] = pattern.label(before);
      count += entries.count(before);
    }
    tree.entry_ptr.push_back(tree.entry_ptr.back() + count);
  }
  const std::size_t count = at(tree.entry_ptr.back());
  tree.entry_source.resize(count);
  tree.entry_row.resize(count);
  tree.entry_column.resize(count);
  for_fronts(tree, threads, [&](Index f, RowNumbers& rows) {
    rows.select(f);
    Offset to = tree.entry_ptr[at(f)];
    const auto put = [&](Offset from, Index row, Index column) {
      tree.entry_source[at(to)] = pattern.source(from);
      tree.entry_row[at(to)] = row;
      tree.entry_column[at(to++)] = column;
    };
    for (Index k = tree.first[at(f)]; k < tree.first[at(f) + 1]; ++k) {
      const Index pivot = k - tree.first[at(f)], before = sets.column[at(k)];
      Offset from = entries.diagonal[at(before)];
      put(from++, pivot, pivot);
      for (const Index column : entries.right_of(before)) {
        put(from++, pivot, rows[new_position[at(column)]]);
      }
      const Offset begin = entries.column_ptr[at(before)], end = entries.column_ptr[at(before) + 1];
      for (Offset p = begin; p < end; ++p) {
        put(entries.column_position[p], rows[new_position[at(entries.column_row[p])]], pivot);
      }
    }
  });
}

}  // namespace lufact
