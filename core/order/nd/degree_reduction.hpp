// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <vector>

#include "core/order/graph/graph.hpp"
#include "core/order/graph/ordering_cost.hpp"

namespace lufact::nd {

// Vertices of at most two neighbours, eliminated before anything else: trees and chains of road
// networks and circuits, on which a partition is wasted.
struct DegreeReduction {
  std::vector<Index> order;            // of what was eliminated, by round and number
  std::vector<Offset> round_begin{0};  // of each round, then the end
  Buffer<std::array<Index, 2>> later;  // of each of `order`: its neighbours then, or -1
  Buffer<Index> kept;                  // the others, ascending
  Graph graph;                         // of the others, lists ascending no longer
  OrderingCost cost;                   // its path is a bound
};

// Rounds of independent sets, so that no path of the elimination tree gets two vertices a round:
// local maxima of a hash among the vertices of low degree. Ends when a round takes less than one
// vertex in 200. Where less than one vertex in 20 could go nothing is eliminated, and all is empty.
DegreeReduction reduce_degrees(const Graph& graph, int threads, const ColumnPathRates& rates = {});

// Where each of low.order may be eliminated: next to a leaf vertex in that one's part, so that
// parts still have no edges to one another; between separator vertices in any part. part_of: of
// each kept vertex (as numbered in low.graph) its part, -1 in the separator. By place in low.order.
Buffer<Index> parts_of_low_degrees(const DegreeReduction& low, const Buffer<Index>& part_of,
                                   Index parts, int threads);

}  // namespace lufact::nd
