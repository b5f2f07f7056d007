// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/place_fronts.hpp"

#include <algorithm>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Index fronts_per_part = 256;

std::size_t at(Offset i) noexcept {
  return static_cast<std::size_t>(i);
}

// Calls body(f) for every front.
template <class Body>
void for_fronts(const FrontTree& tree, int threads, const Body& body) {
  const Index parts = round_up(tree.fronts(), fronts_per_part) / fronts_per_part;
  parallel_for(parts, threads, [&](Offset part) {
    const Index begin = static_cast<Index>(part) * fronts_per_part;
    const Index end = std::min(begin + fronts_per_part, tree.fronts());
    for (Index f = begin; f < end; ++f) body(f);
  });
}

// Rows of one front, looked up in ascending order or not.
class FrontRows {
 public:
  FrontRows(const FrontTree& tree, Index f)
      : first_(tree.first[at(f)]),
        end_(tree.first[at(f) + 1]),
        rows_(tree.row.data() + tree.row_ptr[at(f)], at(tree.contributions(f))) {}

  // The row at `position`, counted from 0, which the front has.
  Index find(Index position) const {
    if (position < end_) return position - first_;
    const auto row = std::lower_bound(rows_.begin(), rows_.end(), position);
    return end_ - first_ + static_cast<Index>(row - rows_.begin());
  }

 private:
  Index first_, end_;
  std::span<const Index> rows_;
};

}  // namespace

void find_parent_rows(FrontTree& tree, int threads) {
  tree.parent_row.resize(tree.row.size());
  for_fronts(tree, threads, [&](Index f) {
    if (tree.parent[at(f)] < 0) return;
    const FrontRows above(tree, tree.parent[at(f)]);
    for (Offset p = tree.row_ptr[at(f)]; p < tree.row_ptr[at(f) + 1]; ++p) {
      tree.parent_row[at(p)] = above.find(tree.row[at(p)]);
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
  for_fronts(tree, threads, [&](Index f) {
    const FrontRows rows(tree, f);
    std::size_t p = at(tree.entry_ptr[at(f)]);
    for (Index k = tree.first[at(f)]; k < tree.first[at(f) + 1]; ++k) {
      const Index pivot = k - tree.first[at(f)];
      for (const PivotEntry& entry : entries.of(sets.column[at(k)])) {
        const Index other = rows.find(new_position[at(entry.later_position())]);
        tree.entry_source[p] = entry.source;
        tree.entry_row[p] = entry.lower() ? other : pivot;
        tree.entry_column[p++] = entry.lower() ? pivot : other;
      }
    }
  });
}

}  // namespace lufact
