// SPDX-License-Identifier: BSD-3-Clause
#include "core/fronts/analysis/assembly_maps.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/fronts/analysis/child_lists.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Index fronts_per_part = 32;

// Fills the maps of one front after the other; one for each thread.
class FrontPlacer {
 public:
  FrontPlacer(const PostorderedPattern& pattern, const Arrowheads& entries, const Supernodes& sets,
              const ChildLists& children, FrontTree& tree)
      : pattern_(pattern),
        entries_(entries),
        sets_(sets),
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

  // Writes the arrowhead of the front's pivot number `pivot`, which is column `column` of the
  // pattern, to the places from `to` on. Returns the place after the last.
  Offset place_entries(Index pivot, Index column, Offset to) {
    const auto put = [&](Offset from, Index row_number, Index column_number) {
      tree_.entry_source[at(to)] = pattern_.source(from);
      tree_.entry_row[at(to)] = row_number;
      tree_.entry_column[at(to++)] = column_number;
    };
    Offset from = entries_.diagonal[at(column)];
    put(from++, pivot, pivot);
    for (const Index right : entries_.right_of(column)) {
      put(from++, pivot, number_[sets_.position[at(right)]]);
    }
    for (Offset p = entries_.column_ptr[at(column)]; p < entries_.column_ptr[at(column) + 1]; ++p) {
      const Index below = number_[sets_.position[at(entries_.column_row[p])]];
      put(entries_.column_position[p], below, pivot);
    }
    return to;
  }

  const PostorderedPattern& pattern_;
  const Arrowheads& entries_;
  const Supernodes& sets_;
  const ChildLists& children_;
  FrontTree& tree_;
  UninitializedArray<Index> number_;  // row in the front, by position
};

// Calls body(first, last) for parts of the tree's fronts, `last` not included.
template <class Body>
void for_parts(const FrontTree& tree, int threads, const Body& body) {
  const Index parts = round_up(tree.fronts(), fronts_per_part) / fronts_per_part;
  parallel_for(parts, threads, [&](Offset part) {
    const auto first = static_cast<Index>(part) * fronts_per_part;
    body(first, std::min(first + fronts_per_part, tree.fronts()));
  });
}

// Fills label and entry_ptr, and makes room for the entries.
void lay_out(const PostorderedPattern& pattern, const Arrowheads& entries, const Supernodes& sets,
             int threads, FrontTree& tree) {
  tree.label.resize(at(tree.n));
  tree.entry_ptr.assign(tree.first.size(), 0);
  for_parts(tree, threads, [&](Index first, Index last) {
    for (Index f = first; f < last; ++f) {
      for (Index k = tree.first[at(f)]; k < tree.first[at(f) + 1]; ++k) {
        tree.label[at(k)] = pattern.label(sets.column[at(k)]);
        tree.entry_ptr[at(f) + 1] += entries.count(sets.column[at(k)]);
      }
    }
  });
  for (std::size_t f = 1; f < tree.entry_ptr.size(); ++f) {
    tree.entry_ptr[f] += tree.entry_ptr[f - 1];
  }
  const std::size_t count = at(tree.entry_ptr.back());
  tree.entry_source.resize(count);
  tree.entry_row.resize(count);
  tree.entry_column.resize(count);
  tree.parent_row.resize(tree.row.size());
}

}  // namespace

void make_assembly_maps(const PostorderedPattern& pattern, const Arrowheads& entries,
                        const Supernodes& sets, int threads, FrontTree& tree) {
  lay_out(pattern, entries, sets, threads, tree);
  const ChildLists children(tree.parent);
  const Index parts = round_up(tree.fronts(), fronts_per_part) / fronts_per_part;
  std::atomic<Index> next{0};
  parallel_for(std::min<Offset>(threads, parts), threads, [&](Offset) {
    FrontPlacer placer(pattern, entries, sets, children, tree);
    for (Index part = next++; part < parts; part = next++) {
      const Index begin = part * fronts_per_part;
      const Index end = std::min(begin + fronts_per_part, tree.fronts());
      for (Index f = begin; f < end; ++f) placer.place(f);
    }
  });
}

}  // namespace lufact
