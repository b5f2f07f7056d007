// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/graph/ordering_cost.hpp"

#include <algorithm>
#include <utility>

#include "core/order/graph/elimination_tree.hpp"

namespace lufact {
namespace {

// Counts by visiting nodes in postorder; labels are those of the order.
class ColumnCounts {
 public:
  ColumnCounts(const nd::Graph& graph, const Permutation& perm, std::span<const Index> parent)
      : graph_(graph),
        perm_(perm),
        parent_(parent),
        place_(parent.size()),
        first_(parent.size(), -1),
        last_leaf_(parent.size(), -1),
        largest_first_(parent.size(), -1),
        ancestor_(parent.size()),
        count_(parent.size(), 0) {}

  std::vector<Offset> run() && {
    const std::vector<Index> order = postorder(parent_);
    for (std::size_t k = 0; k < order.size(); ++k) {
      place_[order[k]] = static_cast<Index>(k);
      ancestor_[order[k]] = order[k];
    }
    for (const Index j : order) {
      count_[j] = first_[j] < 0 ? 1 : 0;  // 1: a leaf of the tree
      for (Index i = j; i >= 0 && first_[i] < 0; i = parent_[i]) first_[i] = place_[j];
    }
    for (const Index j : order) visit(j);
    for (const Index j : order) {
      if (parent_[j] >= 0) count_[parent_[j]] += count_[j];
    }
    return std::move(count_);
  }

 private:
  void visit(Index j) {
    if (parent_[j] >= 0) --count_[parent_[j]];
    const Index old = perm_.old_of_new()[j];
    for (const Index other : graph_.neighbours(old)) {
      const Index i = perm_.new_of_old()[other];
      if (i > j) meet(i, j);
    }
    if (parent_[j] >= 0) ancestor_[j] = parent_[j];
  }

  // Entry (i, j) of the lower triangle: if j is a new leaf of i's row subtree, adds the path from
  // it.
  void meet(Index i, Index j) {
    if (first_[j] <= largest_first_[i]) return;
    largest_first_[i] = first_[j];
    ++count_[j];
    const Index before = std::exchange(last_leaf_[i], j);
    if (before >= 0) --count_[root_of(before)];
  }

  Index root_of(Index j) noexcept {
    Index root = j;
    while (root != ancestor_[root]) root = ancestor_[root];
    while (j != root) j = std::exchange(ancestor_[j], root);
    return root;
  }

  const nd::Graph& graph_;
  const Permutation& perm_;
  std::span<const Index> parent_;
  std::vector<Index> place_;          // in postorder
  std::vector<Index> first_;          // place of the first descendant
  std::vector<Index> last_leaf_;      // of each row subtree, so far
  std::vector<Index> largest_first_;  // first descendant of the leaves of each row subtree
  std::vector<Index> ancestor_;
  std::vector<Offset> count_;
};

}  // namespace

std::vector<Offset> column_counts(const nd::Graph& graph, const Permutation& perm,
                                  std::span<const Index> parent) {
  return ColumnCounts(graph, perm, parent).run();
}

OrderingCost ordering_cost(const nd::Graph& graph, const Permutation& perm, int threads,
                           const ColumnPathRates& rates) {
  const std::vector<Index> parent = elimination_tree(graph, perm, {}, threads);
  const std::vector<Offset> counts = column_counts(graph, perm, parent);
  std::vector<PathCost> path(parent.size());
  OrderingCost cost;
  for (std::size_t j = 0; j < parent.size(); ++j) {  // children have smaller labels
    const auto below = static_cast<double>(counts[j] - 1);
    const double work = below + 2 * below * below;
    path[j] = {path[j].flops + work, path[j].columns + 1, path[j].seconds + rates.column_s(below)};
    ++cost.columns;
    cost.largest_column = std::max(cost.largest_column, static_cast<Index>(counts[j]));
    cost.nnz_l += below + 1;
    cost.flops += work;
    cost.path = longer(cost.path, path[j]);
    if (parent[j] >= 0) path[parent[j]] = longer(path[parent[j]], path[j]);
  }
  return cost;
}

OrderingCost ordering_cost(const CsrPattern& a, const Permutation& perm, int threads,
                           const ColumnPathRates& rates) {
  return ordering_cost(nd::graph_of(a.view(), threads), perm, threads, rates);
}

}  // namespace lufact
