// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/preprocess/nd/minimum_degree.hpp"
#include "core/preprocess/nd/separator.hpp"

namespace lufact::nd {

// Where each vertex is eliminated.
enum class Role : char { leaf, separator, last };

struct Leaves {
  std::vector<Index> order;       // of all leaf vertices, part by part
  std::vector<Index> part_begin;  // in `order`, then the end
  // What the leaves leave on the separator: element e covers the vertices [begin[e], begin[e + 1])
  // of `vertices`.
  std::vector<Offset> begin{0};
  std::vector<Index> vertices;
  std::vector<PathCost> path;
  OrderingCost cost;
};

// Minimum degree on each part, the separator around it as a halo, one task a part, largest first.
// Vertices of role `last` do not count.
Leaves order_leaves(const Graph& graph, const Parts& part, Index parts, const Buffer<Role>& role,
                    int threads);

}  // namespace lufact::nd
