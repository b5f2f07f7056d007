// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/order/nd/leaves.hpp"

namespace lufact::nd {

// An order of the separator, and what it costs to eliminate it after the leaves. The path starts
// in the leaves.
struct SeparatorOrder {
  std::vector<Index> order;
  OrderingCost cost;
};

struct SeparatorOrders {
  SeparatorOrder by_degree;  // minimum degree: fewer operations
  SeparatorOrder
      by_level;  // by the level of the tree of bisections that a vertex separates: short paths
};

// Variables are the separator's vertices, those with the same elements and edges as one; elements
// are what the leaves left. Both orders at the same time where there are two threads. The rates are
// those of paths.
SeparatorOrders order_separator(const Graph& graph, const Parts& part, const Leaves& leaves,
                                int threads, const ColumnPathRates& rates);

}  // namespace lufact::nd
