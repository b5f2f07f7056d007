// SPDX-License-Identifier: BSD-3-Clause
// Elimination trees of ranges of labels, made side by side, and the tree of all labels from them.
#pragma once
#include <span>
#include <vector>

#include "core/matrix/permutation.hpp"
#include "core/order/graph/graph.hpp"

namespace lufact {

// Three passes. Ranges may run passes 1 and 2 side by side, each pass after all ranges have ended
// the one before. Pass 1: a range links the edges that have both ends in it (Liu's algorithm
// 4.2). A label is `open` if its subtree in the range has an edge to a label before the range:
// only the parents of open labels may differ in the tree of all labels. Pass 2: a range takes its
// edges to labels before it. The lower end of such an edge is replaced by the last of its
// ancestors, itself included, before an open one. Of the range's edges from the same lower end
// only the first is kept; each next one is replaced by an edge between the two upper ends. Pass
// 3: one thread links the edges that are left, which are far fewer, and those below open labels
// again.
class RangeTrees {
 public:
  // Range r holds labels [bounds[r], bounds[r + 1]); bounds are kept by the caller.
  RangeTrees(const nd::Graph& graph, const Permutation& perm, std::span<const Index> bounds);

  Offset ranges() const noexcept { return static_cast<Offset>(bounds_.size()) - 1; }
  void link_within(Offset range);

  // Workspace of a thread for all its ranges. By label: the last label of the current range that
  // has an edge to it, or -1. Empty until a range needs it.
  using LastUpperEnds = std::vector<Index>;
  void link_across(Offset range, LastUpperEnds& last);

  // The parents of all labels.
  std::vector<Index> join() &&;

 private:
  struct Edge {
    Index below, above;
  };

  void find_representatives(Index begin, Index end);

  const nd::Graph& graph_;
  const Permutation& perm_;
  std::span<const Index> bounds_;
  std::vector<Index> parent_, ancestor_;
  std::vector<Index> representative_;  // replaces the label in edges from other ranges
  std::vector<char> open_;
  // By range, smaller upper ends first: tree edges below open labels; edges to labels before the
  // range.
  std::vector<std::vector<Edge>> inner_, edges_;
};

}  // namespace lufact
