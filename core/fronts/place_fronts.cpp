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

void place_entries(const PivotEntries& entries, const Supernodes& sets,
                   std::span<const Index> label, int threads, FrontTree& tree) {
  std::vector<Index> new_position(at(tree.n));
  std::vector<Offset> place(at(tree.n) + 1, 0);
  tree.label.resize(at(tree.n));
  for (Index k = 0; k < tree.n; ++k) {
    const Index old = sets.column[at(k)];
    new_position[at(old)] = k;
    tree.label[at(k)] = label[at(old)];
    place[at(k) + 1] = place[at(k)] + entries.ptr[at(old) + 1] - entries.ptr[at(old)];
  }
  tree.entry_ptr.clear();
  for (const Index first : tree.first) tree.entry_ptr.push_back(place[at(first)]);
  tree.entry_source.resize(at(place.back()));
  tree.entry_row.resize(at(place.back()));
  tree.entry_column.resize(at(place.back()));
  for_fronts(tree, threads, [&](Index f, RowNumbers& rows) {
    rows.select(f);
    std::size_t p = at(tree.entry_ptr[at(f)]);
    for (Index k = tree.first[at(f)]; k < tree.first[at(f) + 1]; ++k) {
      const Index pivot = k - tree.first[at(f)];
      for (const PivotEntry& entry : entries.of(sets.column[at(k)])) {
        const Index other = rows[new_position[at(entry.later_position())]];
        tree.entry_source[p] = entry.source;
        tree.entry_row[p] = entry.lower() ? other : pivot;
        tree.entry_column[p++] = entry.lower() ? pivot : other;
      }
    }
  });
}

}  // namespace lufact
