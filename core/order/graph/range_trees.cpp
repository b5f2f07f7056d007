// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/graph/range_trees.hpp"

#include <utility>

#include "core/order/graph/link_subtree.hpp"

namespace lufact {
RangeTrees::RangeTrees(const nd::Graph& graph, const Permutation& perm,
                       std::span<const Index> bounds)
    : graph_(graph),
      perm_(perm),
      bounds_(bounds),
      parent_(static_cast<std::size_t>(graph.n), -1),
      ancestor_(static_cast<std::size_t>(graph.n), -1),
      representative_(static_cast<std::size_t>(graph.n)),
      open_(static_cast<std::size_t>(graph.n), 0),
      inner_(bounds.size() - 1),
      edges_(bounds.size() - 1) {}

void RangeTrees::link_within(Offset range) {
  const Index begin = bounds_[range], end = bounds_[range + 1];
  std::vector<Edge>& inner = inner_[range];
  for (Index k = begin; k < end; ++k) {
    const auto joined = [&](Index root) {
      parent_[root] = k;
      if (open_[root] == 0) return;
      open_[k] = 1;
      inner.push_back({root, k});
    };
    for (const Index old : graph_.neighbours(perm_.old_of_new()[k])) {
      const Index i = perm_.new_of_old()[old];
      if (i >= k) continue;
      if (i >= begin) {
        link_subtree(i, k, ancestor_.data(), joined);
      } else {
        open_[k] = 1;
      }
    }
  }
  find_representatives(begin, end);
}

// Clears ancestor_ of open labels, which the later passes link again. Labels that are not open are
// final, so that paths through them may stay compressed.
void RangeTrees::find_representatives(Index begin, Index end) {
  for (Index k = end - 1; k >= begin; --k) {
    const Index above = parent_[k];
    const bool uppermost = open_[k] != 0 || above < 0 || open_[above] != 0;
    representative_[k] = uppermost ? k : representative_[above];
    if (open_[k] != 0) ancestor_[k] = -1;
  }
}

void RangeTrees::link_across(Offset range, LastUpperEnds& last) {
  const Index begin = bounds_[range], end = bounds_[range + 1];
  std::vector<Edge>& edges = edges_[range];
  auto inner = inner_[range].cbegin();
  for (Index k = begin; k < end; ++k) {
    if (open_[k] == 0) continue;
    if (last.empty()) last.assign(parent_.size(), -1);
    const auto joined = [&](Index root) { edges.push_back({root, k}); };
    for (; inner != inner_[range].cend() && inner->above == k; ++inner) {
      link_subtree(inner->below, k, ancestor_.data(), joined);
    }
    for (const Index old : graph_.neighbours(perm_.old_of_new()[k])) {
      const Index i = perm_.new_of_old()[old];
      if (i >= begin) continue;
      const Index before = std::exchange(last[representative_[i]], k);
      if (before < 0) {
        edges.push_back({representative_[i], k});
      } else if (before != k) {
        link_subtree(before, k, ancestor_.data(), joined);
      }
    }
  }
  for (const Edge& edge : edges) last[edge.below] = -1;
  for (Index k = begin; k < end; ++k) {
    if (open_[k] != 0) ancestor_[k] = -1;
  }
}

std::vector<Index> RangeTrees::join() && {
  for (const std::vector<Edge>& range : edges_) {
    for (const Edge& edge : range) {
      link_subtree(edge.below, edge.above, ancestor_.data(),
                   [&](Index root) { parent_[root] = edge.above; });
    }
  }
  return std::move(parent_);
}

}  // namespace lufact
