// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/levelize/pruned_graph.hpp"

namespace lufact::gpu {

// Computes the level of every column: one more than the largest level among the columns that it
// waits for, 0 where it waits for none. One kernel.
void sweep_levels(DeviceSession& session, const PrunedGraph& graph, Buffer<Index>& level_of);

}  // namespace lufact::gpu
