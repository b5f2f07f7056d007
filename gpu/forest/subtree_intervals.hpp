// SPDX-License-Identifier: BSD-3-Clause
// A postorder of a forest whose labels are in any order.
#pragma once
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// Where the descendants of each vertex stand in a postorder of the forest.
struct SubtreeIntervals {
  Buffer<Index> first, size;  // [first, first + size), the vertex itself last
};

// parent[v] > v, or outside 0 .. n-1 for a root. Where parent[v] is v + 1, v stands right before
// it; other siblings, and roots, follow each other in any order. One kernel, by pointer doubling:
// as many rounds as the height of the forest has bits.
SubtreeIntervals build_subtree_intervals(DeviceSession& session, Index n, const Index* parent);

}  // namespace lufact::gpu
