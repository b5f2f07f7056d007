// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/elimination_tree.hpp"

#include <utility>

#include "core/matrix/parallel.hpp"
#include "core/preprocess/nd/graph.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 1 << 16;  // below, threads cost more than they save
constexpr int chunks_per_thread = 4;

// Children of each node as linked lists in ascending order; the last list holds the roots.
struct ChildLists {
  std::vector<Index> first, next;

  explicit ChildLists(std::span<const Index> parent)
      : first(parent.size() + 1, -1), next(parent.size(), -1) {
    const auto n = static_cast<Index>(parent.size());
    for (Index k = n - 1; k >= 0; --k) {
      Index& head = first[parent[k] < 0 ? n : parent[k]];
      next[k] = head;
      head = k;
    }
  }
};

// Joins the subtree that holds `node` to its new root k, shortening the path on the way.
void link(Index node, Index k, std::vector<Index>& parent, std::vector<Index>& ancestor) {
  while (ancestor[node] != k) {
    const Index above = std::exchange(ancestor[node], k);
    if (above < 0) {
      parent[node] = k;
      return;
    }
    node = above;
  }
}

struct Edge {
  Index below, above;
};

// The tree of the labels in [begin, end) by the edges among them; edges to smaller labels are
// collected, those of smaller upper ends first.
void link_labels(const nd::Graph& graph, const Permutation& perm, Index begin, Index end,
                 std::vector<Index>& parent, std::vector<Index>& ancestor,
                 std::vector<Edge>& crossing) {
  for (Index k = begin; k < end; ++k) {
    for (const Index old : graph.neighbours(perm.old_of_new()[k])) {
      const Index i = perm.new_of_old()[old];
      if (i >= k) continue;
      if (i >= begin) {
        link(i, k, parent, ancestor);
      } else {
        crossing.push_back({i, k});
      }
    }
  }
}

// The tree of a graph from trees of ranges of its labels and the edges between ranges: in a tree
// the same labels are joined by smaller ones as in the graph that it is of.
std::vector<Index> joined(const std::vector<Index>& forest,
                          const std::vector<std::vector<Edge>>& crossing) {
  std::vector<Index> parent(forest.size(), -1), ancestor(forest.size(), -1);
  const ChildLists children(forest);
  auto chunk = crossing.begin();
  std::size_t next = 0;
  for (Index k = 0; k < static_cast<Index>(forest.size()); ++k) {
    for (Index c = children.first[k]; c >= 0; c = children.next[c]) link(c, k, parent, ancestor);
    while (chunk != crossing.end() && next == chunk->size()) {
      ++chunk;
      next = 0;
    }
    for (; chunk != crossing.end() && next < chunk->size() && (*chunk)[next].above == k; ++next) {
      link((*chunk)[next].below, k, parent, ancestor);
    }
  }
  return parent;
}

}  // namespace

std::vector<Index> elimination_tree(const CsrPattern& a, const Permutation& perm, int threads) {
  const nd::Graph graph = nd::graph_of(a.view(), threads);
  const int team = threads_for(a.nnz(), worthwhile_entries, threads);
  const int chunks = team == 1 ? 1 : chunks_per_thread * team;
  std::vector<Index> parent(perm.old_of_new().size(), -1);
  std::vector<std::vector<Edge>> crossing(static_cast<std::size_t>(chunks));
  {
    std::vector<Index> ancestor(parent.size(), -1);
    parallel_for(chunks, team, [&](Offset chunk) {
      const Offset n = graph.n;
      const auto begin = static_cast<Index>(n * chunk / chunks);
      const auto end = static_cast<Index>(n * (chunk + 1) / chunks);
      link_labels(graph, perm, begin, end, parent, ancestor, crossing[chunk]);
    });
  }
  return chunks == 1 ? parent : joined(parent, crossing);
}

std::vector<Index> postorder(std::span<const Index> parent) {
  const auto n = static_cast<Index>(parent.size());
  ChildLists children(parent);
  std::vector<Index> order, path;
  order.reserve(parent.size());
  for (Index root = children.first[n]; root >= 0; root = children.next[root]) {
    path.push_back(root);
    while (!path.empty()) {
      Index& child = children.first[path.back()];
      if (child >= 0) {
        path.push_back(std::exchange(child, children.next[child]));
      } else {
        order.push_back(path.back());
        path.pop_back();
      }
    }
  }
  return order;
}

Ordering compose_postorder(const CsrPattern& pa, const Ordering& ordering, int threads) {
  const std::vector<Index> parent = elimination_tree(pa, ordering.perm, threads);
  return {.perm = ordering.perm.then(Permutation::from_old_of_new(postorder(parent))),
          .postordered = true};
}

}  // namespace lufact
