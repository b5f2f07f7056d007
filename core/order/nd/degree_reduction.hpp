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
  std::vector<Index> order;            // eliminated vertices, by round and number
  std::vector<Offset> round_begin{0};  // begin of each round in `order`, then the end
  Buffer<std::array<Index, 2>> later;  // by place in `order`: neighbours at elimination, or -1
  Buffer<Index> kept;                  // the others, ascending
  Graph graph;                         // of the kept vertices; lists do not ascend
  OrderingCost cost;                   // `path` is a bound
};

// Rounds of independent sets, so that no path of the elimination tree gets two vertices a round:
// local maxima of a hash among the vertices of low degree. Ends when a round takes less than one
// vertex in 200. Where less than one vertex in 20 could be eliminated none is, and the result is
// empty.
DegreeReduction reduce_degrees(const Graph& graph, int threads, const ColumnPathRates& rates = {});

// The part in which each vertex of low.order may be eliminated, by place in low.order: next to a
// leaf vertex, the leaf's part, so that parts still have no edges to one another; between separator
// vertices, any part. part_of: part of each kept vertex (as numbered in low.graph), -1 in the
// separator.
Buffer<Index> parts_of_low_degrees(const DegreeReduction& low, const Buffer<Index>& part_of,
                                   Index parts, int threads);

}  // namespace lufact::nd
