// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/preprocess/nd/graph.hpp"
#include "core/preprocess/ordering_cost.hpp"

namespace lufact::nd {

// Vertices of at most two neighbours, eliminated before anything else: trees and chains of road
// networks and circuits, on which a partition is wasted.
struct LowDegree {
  std::vector<Index> order;  // of what was eliminated
  Buffer<Index> kept;        // the others, ascending
  Graph graph;               // of the others, lists ascending no longer
  OrderingCost cost;         // its path is a bound
};

// Rounds of independent sets, so that no path of the elimination tree gets two vertices a round:
// local maxima of a hash among the vertices of low degree. Ends when a round takes less than one
// vertex in 200. Nothing is eliminated, and `kept` is empty, where less than one in 20 could be.
LowDegree eliminate_low_degrees(Graph graph, int threads);

}  // namespace lufact::nd
