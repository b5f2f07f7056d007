// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/base/types.hpp"
#include "core/order/graph/ordering_cost.hpp"

namespace lufact::nd {

// Variables and elements (cliques left by what is eliminated already), by lists. The list of a
// variable names its elements first, then its adjacent variables; that of an element its variables.
// An edge inside an element need not be there as well. Halo variables count in degrees and are
// never eliminated; they need not be adjacent to one another.
struct QuotientGraph {
  Index interior = 0;                // [0, interior): variables to eliminate
  Index variables = 0;               // [interior, variables): the halo
  Index nodes = 0;                   // [variables, nodes): elements
  std::vector<Index> begin, length;  // of each node's list
  std::vector<Index> elements;       // in each variable's list
  std::vector<Index> weight;         // of each variable, at least 1
  std::vector<PathCost> path;        // of each element: from the leaves up to it
  std::vector<Index> list;

  Index room = 0;  // of `list` may be used

  // An empty graph of these sizes, room for `entries` kept from before; lists follow in the order
  // of the nodes. Throws Error{unsupported, "ordering_overflow"} beyond 32-bit positions.
  void reset(Index interior_count, Index halo_count, Index element_count, Offset entries);
  // Variables of a halo, with empty lists, where there was none, nor elements. `entries`: of all
  // lists, at most as many as there was room for.
  void add_halo(Index count, Offset entries);
};

}  // namespace lufact::nd
