// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/order/nd/partition.hpp"
#include "gpu/ordering/clusters.hpp"

namespace lufact::gpu {

// nd::Partition on the device.
struct DevicePartition {
  Index parts = 1;
  Buffer<Index> part;
  Buffer<char> near_cut;
};

DevicePartition upload(DeviceSession& session, const nd::Partition& partition);

// The partition of the clusters for their members, then refined by the rounds of nd::refine(): the
// same result. One launch, asynchronous.
DevicePartition project_and_refine(DeviceSession& session, const DeviceGraph& graph,
                                   const Index* cluster_of, const DevicePartition& coarse);

}  // namespace lufact::gpu
