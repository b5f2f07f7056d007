// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "core/order/nd/partition_with_separator.hpp"
#include "gpu/ordering/device_graph.hpp"

namespace lufact::gpu {

// Smaller graphs are coarsened and refined on the host: on the device launches would take
// longer.
inline constexpr Index least_device_vertices = 1000;

// A warp walks a list alone in up to 24 rounds of the separator, and each edge takes about a read
// of memory: 1 ms for about 1200 edges, where the host's threads take 0.2 to 0.8 ms in all.
inline constexpr Index longest_device_list = 512;

// A division of a graph, and where its levels were coarsened and refined.
struct DevicePartitionWithSeparator {
  nd::PartitionWithSeparator cut;
  std::vector<Index> levels;  // vertices of the graphs that were contracted on the device
  Index on_host = 0;          // vertices of the graph that the host took over
  bool separator_on_host = true;
};

// nd::partition_with_separator() with the fine levels and the separator on the device: the same
// result. The host's threads take levels below `least_vertices`, any graph that is small or has
// one part, the first partition, and the separator of a graph with lists above
// `longest_device_list`. `on_device` is the same graph, or empty. Sub-phases as there, and
// "upload" and "download".
DevicePartitionWithSeparator partition_with_separator(DeviceSession& session,
                                                      const nd::Graph& graph, DeviceGraph on_device,
                                                      const nd::PartitionRules& rules, int threads,
                                                      PhaseRecorder& phases,
                                                      Index least_vertices = least_device_vertices);

}  // namespace lufact::gpu
