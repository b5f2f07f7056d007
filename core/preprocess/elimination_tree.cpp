// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/elimination_tree.hpp"

#include <utility>

namespace lufact {
namespace {

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

}  // namespace

std::vector<Index> elimination_tree(const CsrPattern& a, const Permutation& perm) {
  const CsrPattern transposed = transpose(a.view());
  const auto old_of_new = perm.old_of_new();
  const auto new_of_old = perm.new_of_old();
  std::vector<Index> parent(old_of_new.size(), -1), ancestor(old_of_new.size(), -1);
  for (Index k = 0; k < a.n_rows; ++k) {
    for (const CsrPattern* side : {&a, &transposed}) {
      for (const Index old : side->row(old_of_new[k])) {
        if (new_of_old[old] < k) link(new_of_old[old], k, parent, ancestor);
      }
    }
  }
  return parent;
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

Ordering compose_postorder(const CsrPattern& pa, const Ordering& ordering) {
  const std::vector<Index> parent = elimination_tree(pa, ordering.perm);
  return {.perm = ordering.perm.then(Permutation::from_old_of_new(postorder(parent))),
          .postordered = true};
}

}  // namespace lufact
