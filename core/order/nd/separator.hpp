// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/order/nd/partition.hpp"

namespace lufact::nd {

struct Separator {
  Buffer<char> inside;          // 1 for its vertices
  std::vector<Index> vertices;  // ascending
};

// A set of vertices without which no edge joins two parts. At first it has the vertices of no part
// and, of every cut edge, the end that covers more cut edges for its weight. Then, in synchronous
// rounds, a member leaves for the part of a neighbour where its weight, by level, exceeds that of
// the vertices that it pulls in, unless an adjacent vertex with a better move goes elsewhere. Where
// both weigh the same the separator sweeps to one side, then to the other. `partition` follows: a
// vertex that leaves gets the part that it goes to. Vertices with more than `hub_degree` neighbours
// never leave after the first round.
Separator find_separator(const Graph& graph, Index hub_degree, Partition& partition, int threads);

}  // namespace lufact::nd
