// SPDX-License-Identifier: BSD-3-Clause
// The step of Liu's algorithm 4.2, on which every elimination tree here is built.
#pragma once
#include <utility>

#include "core/base/types.hpp"

namespace lufact {

// Makes `above` the root of the subtree that holds `node`, with path compression: `ancestor` is by
// node, -1 for a root. Calls joined(root) with the old root where that is not `above`.
template <class Joined>
void link_subtree(Index node, Index above, Index* ancestor, const Joined& joined) {
  while (ancestor[node] != above) {
    const Index before = std::exchange(ancestor[node], above);
    if (before < 0) return joined(node);
    node = before;
  }
}

}  // namespace lufact
