// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/order/nd/partition.hpp"

namespace lufact::nd {

struct Separator {
  Buffer<char> inside;          // 1 for its vertices
  std::vector<Index> vertices;  // ascending
};

// Vertices without which no edge joins two parts. Vertices of no part belong to it at first. Every
// cut edge is covered by that end which covers more edges for its weight; then, in synchronous
// rounds, a vertex leaves for the part of its neighbours where its weight, by level, exceeds that
// of the vertices that it pulls in, unless an adjacent vertex with a better move goes elsewhere.
// Where both weigh the same the separator sweeps to one side, then to the other. The parts follow:
// a vertex that leaves gets the part that it goes to. Vertices with more than `hub_degree`
// neighbours never leave after the first round.
Separator find_separator(const Graph& graph, Index hub_degree, Partition& partition, int threads);

}  // namespace lufact::nd
