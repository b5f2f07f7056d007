// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "core/order/nd/partition_with_separator.hpp"
#include "core/rates/rates.hpp"
#include "gpu/ordering/device_graph.hpp"

namespace lufact::gpu {

// A division of a graph, and where its levels were coarsened and refined.
struct DevicePartitionWithSeparator {
  nd::PartitionWithSeparator cut;
  std::vector<Index> levels;  // vertices of the graphs that were contracted on the device
  Index on_host = 0;          // vertices of the graph that the host took over
  bool separator_on_host = true;
};

// nd::partition_with_separator() with the fine levels and the separator on the device: the same
// result. The host's threads take levels below thresholds.device_vertices, any graph that is small
// or has one part, the first partition, and the separator of a graph with lists above
// thresholds.device_list_edges. `on_device` is the same graph, or empty. Sub-phases as there, and
// "upload" and "download".
DevicePartitionWithSeparator partition_with_separator(DeviceSession& session,
                                                      const nd::Graph& graph, DeviceGraph on_device,
                                                      const nd::PartitionRules& rules, int threads,
                                                      PhaseRecorder& phases,
                                                      const OrderThresholds& thresholds);

}  // namespace lufact::gpu
