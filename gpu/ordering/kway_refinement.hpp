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

// Gives every vertex the part of its cluster, then refines by the rounds of nd::refine(), with the
// same result. One launch, asynchronous.
DevicePartition project_and_refine(DeviceSession& session, const DeviceGraph& graph,
                                   const Index* cluster_of, const DevicePartition& coarse);

}  // namespace lufact::gpu
