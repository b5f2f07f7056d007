// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/ordering/clusters.hpp"

namespace lufact::gpu {

// The graph of the clusters, as nd::contract() gives it: lists in the order in which the members,
// ascending, name their neighbours. Edges are added up in a hash table of each cluster. One launch
// and a control read.
DeviceGraph contract(DeviceSession& session, const DeviceGraph& graph,
                     const DeviceClusters& clusters);

}  // namespace lufact::gpu
