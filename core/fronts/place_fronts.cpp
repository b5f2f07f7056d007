// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/place_fronts.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <vector>

#include "core/fronts/child_lists.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Index fronts_per_part = 32;

std::size_t at(Offset i) noexcept {
  return static_cast<std::size_t>(i);
}

// What one thread places, one front after the other.
class FrontPlacer {
 public:
  FrontPlacer(const PostorderedPattern& pattern, const PivotEntries& entries,
              const Supernodes& sets, std::span<const Index> new_position,
              const ChildLists& children, FrontTree& tree)
      : pattern_(pattern),
        entries_(entries),
        sets_(sets),
        new_position_(new_position),
        children_(children),
        tree_(tree),
        number_(tree.n) {}

  void place(Index f) {
    number_rows(f);
    for (Index c = children_.head[at(f)]; c >= 0; c = children_.next[at(c)]) {
      for (Offset p = tree_.row_ptr[at(c)]; p < tree_.row_ptr[at(c) + 1]; ++p) {
        tree_.parent_row[at(p)] = number_[tree_.row[at(p)]];
      }
    }
    Offset to = tree_.entry_ptr[at(f)];
    for (Index k = tree_.first[at(f)]; k < tree_.first[at(f) + 1]; ++k) {
      to = place_entries(k - tree_.first[at(f)], sets_.column[at(k)], to);
    }
  }

 private:
  void number_rows(Index f) {
    Index number = 0;
    for (Index k = tree_.first[at(f)]; k < tree_.first[at(f) + 1]; ++k) number_[k] = number++;
    for (Offset p = tree_.row_ptr[at(f)]; p < tree_.row_ptr[at(f) + 1]; ++p) {
      number_[tree_.row[at(p)]] = number++;
    }
  }

  // Those of the front's pivot number `pivot`, which is column `column` of the pattern, from place
  // `to` on.
  Offset place_entries(Index pivot, Index column, Offset to) {
    const auto put = [&](Offset from, Index row_number, Index column_number) {
      tree_.entry_source[at(to)] = pattern_.source(from);
      tree_.entry_row[at(to)] = row_number;
      tree_.entry_column[at(to++)] = column_number;
    };
    Offset from = entries_.diagonal[at(column)];
    put(from++, pivot, pivot);
    for (const Index right : entries_.right_of(column)) {
      put(from++, pivot, number_[new_position_[at(right)]]);
    }
    for (Offset p = entries_.column_ptr[at(column)]; p < entries_.column_ptr[at(column) + 1]; ++p) {
      const Index below = number_[new_position_[at(entries_.column_row[p])]];
      put(entries_.column_position[p], below, pivot);
    }
    return to;
  }

  const PostorderedPattern& pattern_;
  const PivotEntries& entries_;
  const Supernodes& sets_;
  std::span<const Index> new_position_;
  const ChildLists& children_;
  FrontTree& tree_;
  UninitializedArray<Index> number_;  // of each row of the front, by position
};

// Fills label and entry_ptr, and makes room for the entries. Returns the position of each column.
std::vector<Index> lay_out(const PostorderedPattern& pattern, const PivotEntries& entries,
                           const Supernodes& sets, FrontTree& tree) {
  std::vector<Index> new_position(at(tree.n));
  tree.label.resize(at(tree.n));
  tree.entry_ptr.assign(1, 0);
  tree.entry_ptr.reserve(tree.first.size());
  for (Index f = 0; f < tree.fronts(); ++f) {
    Offset count = 0;
    for (Index k = tree.first[at(f)]; k < tree.first[at(f) + 1]; ++k) {
      const Index column = sets.column[at(k)];
      new_position[at(column)] = k;
      tree.label[at(k)] = pattern.label(column);
      count += entries.count(column);
    }
    tree.entry_ptr.push_back(tree.entry_ptr.back() + count);
  }
  const std::size_t count = at(tree.entry_ptr.back());
  tree.entry_source.resize(count);
  tree.entry_row.resize(count);
  tree.entry_column.resize(count);
  tree.parent_row.resize(tree.row.size());
  return new_position;
}

}  // namespace

void place_fronts(const PostorderedPattern& pattern, const PivotEntries& entries,
                  const Supernodes& sets, int threads, FrontTree& tree) {
  const std::vector<Index> new_position = lay_out(pattern, entries, sets, tree);
  const ChildLists children(tree.parent);
  const Index parts = round_up(tree.fronts(), fronts_per_part) / fronts_per_part;
  std::atomic<Index> next{0};
  parallel_for(std::min<Offset>(threads, parts), threads, [&](Offset) {
    FrontPlacer placer(pattern, entries, sets, new_position, children, tree);
    for (Index part = next++; part < parts; part = next++) {
      const Index begin = part * fronts_per_part;
      const Index end = std::min(begin + fronts_per_part, tree.fronts());
      for (Index f = begin; f < end; ++f) placer.place(f);
    }
  });
}

}  // namespace lufact
