// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/order/nd/leaves.hpp"

namespace lufact::nd {

// An order of the separator, and what it costs to eliminate it after the leaves. The path starts
// in the leaves.
struct Tail {
  std::vector<Index> order;
  OrderingCost cost;
};

struct Tails {
  Tail by_degree;  // minimum degree: fewer operations
  Tail by_level;   // by the level of the tree of bisections that a vertex separates: short paths
};

// Variables are the separator's vertices, those with the same elements and edges as one; elements
// are what the leaves left. Both tails at the same time where there are two threads. The rates are
// those of paths.
Tails order_tails(const Graph& graph, const Parts& part, const Leaves& leaves, int threads,
                  const ColumnPathRates& rates);

}  // namespace lufact::nd
