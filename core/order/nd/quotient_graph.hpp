// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/base/types.hpp"
#include "core/order/graph/ordering_cost.hpp"

namespace lufact::nd {

// Variables and elements (cliques that eliminated variables left), by lists. The list of a variable
// names its elements first, then its adjacent variables; that of an element its variables. An edge
// between two variables of one element need not be listed. Halo variables count in degrees and are
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

  Index room = 0;  // entries of `list` that may be used

  // An empty graph of these sizes, room for `entries` kept from before; lists follow in the order
  // of the nodes. Throws Error{unsupported, "ordering_overflow"} beyond 32-bit positions.
  void reset(Index interior_count, Index halo_count, Index element_count, Offset entries);
  // Adds a halo of `count` variables with empty lists to a graph without halo and elements.
  // `entries` of all lists must not exceed the room that reset() made.
  void add_halo(Index count, Offset entries);
};

}  // namespace lufact::nd
