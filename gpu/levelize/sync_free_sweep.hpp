// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/levelize/pruned_graph.hpp"

namespace lufact::gpu {

// The level of every column: one more than the largest of the columns before it, 0 where there is
// none. One kernel.
void sweep_levels(DeviceSession& session, const PrunedGraph& graph, Buffer<Index>& level_of);

}  // namespace lufact::gpu
