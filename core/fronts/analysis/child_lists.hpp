// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// The children of each node of a forest, ascending: head[f] is the first child of f, next[c] the
// sibling after c, -1 the end of a list.
struct ChildLists {
  std::vector<Index> head, next;

  explicit ChildLists(std::span<const Index> parent)
      : head(parent.size(), -1), next(parent.size(), -1) {
    for (std::size_t f = parent.size(); f-- > 0;) {
      if (parent[f] < 0) continue;
      next[f] = std::exchange(head[static_cast<std::size_t>(parent[f])], static_cast<Index>(f));
    }
  }
};

}  // namespace lufact
