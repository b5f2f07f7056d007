// SPDX-License-Identifier: BSD-3-Clause
// A postorder of a forest whose labels are in any order.
#pragma once
#include "gpu/runtime/buffer.hpp"

namespace lufact::gpu {

// The interval of each vertex's descendants in a postorder of the forest.
struct SubtreeIntervals {
  Buffer<Index> first, size;  // [first, first + size), the vertex itself last
};

// parent[v] > v, or outside 0 .. n-1 for a root. Where parent[v] is v + 1, v comes right before its
// parent; other siblings, and roots, are in any order. One kernel, by pointer doubling: as many
// rounds as the forest's height has bits.
SubtreeIntervals build_subtree_intervals(DeviceSession& session, Index n, const Index* parent);

}  // namespace lufact::gpu
