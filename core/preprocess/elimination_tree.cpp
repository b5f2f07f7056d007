// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/elimination_tree.hpp"

#include <utility>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 1 << 16;  // below, threads cost more than they save
constexpr Offset worthwhile_labels = 1 << 15;
constexpr int ranges_per_thread = 4;

struct Edge {
  Index below, above;
};

// Joins the subtree that holds `node` to its new root k, shortening the path on the way. Calls
// joined(root) where they were apart.
template <class Joined>
void link(Index node, Index k, std::vector<Index>& ancestor, const Joined& joined) {
  while (ancestor[node] != k) {
    const Index above = std::exchange(ancestor[node], k);
    if (above < 0) return joined(node);
    node = above;
  }
}

// Trees of ranges of labels. A label is `open` if its subtree in the range has an edge to a label
// before the range: the tree of all labels may differ there, and only there.
struct RangeTrees {
  std::vector<Index> parent, ancestor;
  std::vector<char> open;
  // By range: edges to labels before it and those of the tree below open labels, smaller upper ends
  // first.
  std::vector<std::vector<Edge>> edges;

  RangeTrees(std::size_t n, int ranges)
      : parent(n, -1), ancestor(n, -1), open(n, 0), edges(static_cast<std::size_t>(ranges)) {}

  void link_labels(const nd::Graph& graph, const Permutation& perm, Index begin, Index end,
                   std::vector<Edge>& crossing) {
    for (Index k = begin; k < end; ++k) {
      const auto joined = [&](Index root) {
        parent[root] = k;
        if (open[root] != 0) add({root, k}, crossing);
      };
      for (const Index old : graph.neighbours(perm.old_of_new()[k])) {
        const Index i = perm.new_of_old()[old];
        if (i >= k) continue;
        if (i >= begin) {
          link(i, k, ancestor, joined);
        } else {
          add({i, k}, crossing);
        }
      }
    }
    for (Index k = begin; k < end; ++k) {
      if (open[k] != 0) ancestor[k] = -1;
    }
  }

  // The tree of all labels: what is open is linked again. In a tree the same labels are joined by
  // smaller ones as in the graph that it is of, and what is not open is final, so that paths
  // through it may stay short.
  std::vector<Index> join() && {
    for (const std::vector<Edge>& range : edges) {
      for (const Edge& edge : range) {
        link(edge.below, edge.above, ancestor, [&](Index root) { parent[root] = edge.above; });
      }
    }
    return std::move(parent);
  }

 private:
  void add(const Edge& edge, std::vector<Edge>& crossing) {
    open[edge.above] = 1;
    crossing.push_back(edge);
  }
};

// Position of each node in the postorder: from the last to the first, each takes the end of what is
// left of its parent's subtree.
std::vector<Index> postorder_positions(std::span<const Index> parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> size(parent.size(), 1), last(parent.size()), position(parent.size());
  for (Index k = 0; k < n; ++k) {
    if (parent[k] >= 0) size[parent[k]] += size[k];
  }
  Index last_root = n - 1;
  for (Index k = n - 1; k >= 0; --k) {
    Index& place = parent[k] < 0 ? last_root : last[parent[k]];
    position[k] = place;
    last[k] = place - 1;
    place -= size[k];
  }
  return position;
}

// Where ranges of labels begin, then the end.
std::vector<Index> ranges_of_labels(Index n, std::span<const Index> parts, int team) {
  if (team == 1) return {0, n};
  if (!parts.empty()) {
    std::vector<Index> bounds(parts.begin(), parts.end());
    bounds.push_back(n);
    return bounds;
  }
  const Offset ranges = ranges_per_thread * team;
  std::vector<Index> bounds;
  for (Offset k = 0; k <= ranges; ++k) bounds.push_back(static_cast<Index>(n * k / ranges));
  return bounds;
}

}  // namespace

std::vector<Index> elimination_tree(const nd::Graph& graph, const Permutation& perm,
                                    std::span<const Index> parts, int threads) {
  const int team = threads_for(nd::total_degree(graph, threads), worthwhile_entries, threads);
  const std::vector<Index> bounds = ranges_of_labels(graph.n, parts, team);
  const auto ranges = static_cast<Offset>(bounds.size()) - 1;
  RangeTrees trees(perm.old_of_new().size(), static_cast<int>(ranges));
  parallel_for(ranges, team, [&](Offset range) {
    trees.link_labels(graph, perm, bounds[range], bounds[range + 1], trees.edges[range]);
  });
  return std::move(trees).join();
}

std::vector<Index> elimination_tree(const CsrPattern& a, const Permutation& perm, int threads) {
  return elimination_tree(nd::graph_of(a.view(), threads), perm, {}, threads);
}

std::vector<Index> postorder(std::span<const Index> parent) {
  const std::vector<Index> position = postorder_positions(parent);
  std::vector<Index> order(parent.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[position[k]] = static_cast<Index>(k);
  return order;
}

Ordering compose_postorder(const CsrPattern& pa, const Ordering& ordering, int threads) {
  const std::vector<Index> parent =
      ordering.graph ? elimination_tree(*ordering.graph, ordering.perm, ordering.parts, threads)
                     : elimination_tree(pa, ordering.perm, threads);
  const std::vector<Index> position = postorder_positions(parent);
  std::vector<Index> labels(parent.size()), forest(parent.size());
  [[maybe_unused]] const int team =
      threads_for(static_cast<Offset>(parent.size()), worthwhile_labels, threads);
#pragma omp parallel for num_threads(team) if (team > 1)
  for (std::size_t k = 0; k < parent.size(); ++k) {
    labels[position[k]] = ordering.perm.old_of_new()[k];
    forest[position[k]] = parent[k] < 0 ? -1 : position[parent[k]];
  }
  return {.perm = Permutation::from_old_of_new(std::move(labels)),
          .postordered = true,
          .forest = std::move(forest)};
}

}  // namespace lufact
