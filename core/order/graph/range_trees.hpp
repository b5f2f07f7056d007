// SPDX-License-Identifier: BSD-3-Clause
// Elimination trees of ranges of labels, made side by side, and the tree of all labels from them.
#pragma once
#include <span>
#include <vector>

#include "core/matrix/permutation.hpp"
#include "core/order/graph/graph.hpp"

namespace lufact {

// Three passes, of which ranges may run the first two side by side, each after all have ended the
// one before. In the first a range links what it holds at both ends (Liu's algorithm 4.2). A label
// is `open` if its subtree there has an edge to a label before the range: the tree of all labels
// may differ at its parent, and only there. In the second a range takes the edges to labels before
// it. Of their lower ends only the uppermost label that is not open is kept, and of the edges from
// the same label the first: the next one is as good as an edge between the two upper ends. What is
// left, far fewer edges, and what is below open labels is linked again by one thread.
class RangeTrees {
 public:
  // Range r holds labels [bounds[r], bounds[r + 1]); bounds are kept by the caller.
  RangeTrees(const nd::Graph& graph, const Permutation& perm, std::span<const Index> bounds);

  Offset ranges() const noexcept { return static_cast<Offset>(bounds_.size()) - 1; }
  void link_within(Offset range);

  // Of one thread, for as many ranges as it takes: by label, the last label of the range at hand
  // that has an edge to it, or -1. Empty before the first range that needs it.
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
  std::vector<Index> representative_;  // what stands for the label in edges from other ranges
  std::vector<char> open_;
  // By range, smaller upper ends first: of the tree below open labels; and with edges to labels
  // before the range.
  std::vector<std::vector<Edge>> inner_, edges_;
};

}  // namespace lufact
