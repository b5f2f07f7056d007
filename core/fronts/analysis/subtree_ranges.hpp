// SPDX-License-Identifier: BSD-3-Clause
// Parts of a postordered forest that several threads may work on at the same time.
#pragma once
#include <atomic>
#include <span>
#include <vector>

#include "core/base/types.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {

// Disjoint ranges of nodes, ascending. A range has all descendants of its nodes. A node in no range
// comes after the ranges that have its descendants.
struct SubtreeRanges {
  std::vector<Index> begin, end;

  Offset count() const noexcept { return static_cast<Offset>(end.size()); }

  // Calls work(range, state) for every range, on several threads, which take them in ascending
  // order; each thread has a state of its own, made by make_state().
  template <class MakeState, class Work>
  void for_each(int threads, const MakeState& make_state, const Work& work) const {
    std::atomic<Offset> next{0};
    parallel_for(std::min<Offset>(threads, count()), threads, [&](Offset) {
      auto state = make_state();
      for (Offset range = next++; range < count(); range = next++) work(range, state);
    });
  }

  // Calls range(r) for every range and node(k) for every node of `nodes` outside of them,
  // ascending.
  template <class Range, class Node>
  void in_order(Index nodes, const Range& range, const Node& node) const {
    Index k = 0;
    for (std::size_t r = 0; r < end.size(); ++r) {
      for (; k < begin[r]; ++k) node(k);
      range(r);
      k = end[r];
    }
    for (; k < nodes; ++k) node(k);
  }
};

// A postordered forest of columns, cut into ranges for several threads.
struct ColumnForest {
  std::span<const Index> parent;  // -1 for a root
  std::vector<Index> size;        // of each column's subtree
  SubtreeRanges ranges;
};

// Number of nodes in each node's subtree, the node included. O(n).
std::vector<Index> subtree_sizes(std::span<const Index> parent);

// Ranges of about an eighth of a thread's share of the work each, or none for one thread. `work`
// and `size` are by node, `size` from subtree_sizes. O(n).
SubtreeRanges cut_subtrees(std::span<const Index> parent, std::span<const Index> size,
                           std::vector<Offset> work, int threads);

}  // namespace lufact
