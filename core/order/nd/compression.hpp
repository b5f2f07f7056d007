// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/order/graph/graph.hpp"

namespace lufact::nd {

// Vertices with the same closed neighbourhood, which a minimum fill ordering may number one after
// another, as one vertex of that weight. Edges weigh the product of their ends, as a cut between
// the classes costs (Ashcraft, "Compressed graphs and the minimum degree algorithm", SIAM J. Sci.
// Comput. 16(6), 1995, compares hashes as is done here).
struct Compression {
  Graph graph;             // empty where less than a tenth of the vertices would go
  Buffer<Index> class_of;  // likewise
};
Compression compress(const Graph& graph, int threads);

}  // namespace lufact::nd
