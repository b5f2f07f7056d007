// SPDX-License-Identifier: BSD-3-Clause
// One step of coarsening on the device, with the same clusters as core/order/nd/clusters.cpp, found
// by the same synchronous rounds.
#pragma once
#include "gpu/ordering/device_graph.hpp"

namespace lufact::gpu {

struct DeviceClusters {
  Index count = 0;
  Buffer<Index> cluster_of;  // -1: the vertex was left out
};

struct DeviceClusterRules {
  bool stars = false;         // or pairs
  Index hub_degree = 0;       // vertices of more neighbours are left out
  Offset largest_weight = 2;  // of a cluster
  std::uint64_t seed = 0;
};

// One launch and a control read.
DeviceClusters find_clusters(DeviceSession& session, const DeviceGraph& graph,
                             const DeviceClusterRules& rules);

}  // namespace lufact::gpu
