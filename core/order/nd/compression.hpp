// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/order/graph/graph.hpp"

namespace lufact::nd {

// Merges indistinguishable vertices into one vertex of their total weight: they have the same
// closed neighbourhood, and a minimum fill ordering may number them one after another. An edge
// weighs the product of its ends' weights, the number of edges that a cut between the classes cuts
// (Ashcraft, "Compressed graphs and the minimum degree algorithm", SIAM J. Sci. Comput. 16(6),
// 1995, compares hashes as is done here).
struct Compression {
  Graph graph;             // empty where less than a tenth of the vertices would go
  Buffer<Index> class_of;  // likewise
};
Compression compress(const Graph& graph, int threads);

}  // namespace lufact::nd
