// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/order/nd/leaves.hpp"

namespace lufact::nd {

// An order of the separator, and the cost of eliminating it after the leaves. The cost's path
// starts in the leaves.
struct SeparatorOrder {
  std::vector<Index> order;
  OrderingCost cost;
};

struct SeparatorOrders {
  SeparatorOrder by_degree;  // minimum degree: fewer operations
  SeparatorOrder
      by_level;  // by the level of the tree of bisections that a vertex separates: short paths
};

// Orders the separator. Separator vertices with the same elements and edges are one supervariable;
// the elements are those of `leaves`. With two threads or more both orders are made at the same
// time. `rates` are those of paths.
SeparatorOrders order_separator(const Graph& graph, const Parts& part, const Leaves& leaves,
                                int threads, const ColumnPathRates& rates);

}  // namespace lufact::nd
