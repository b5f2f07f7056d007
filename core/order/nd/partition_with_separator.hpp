// SPDX-License-Identifier: BSD-3-Clause
// A graph's parts and the separator between them, by one multilevel k-way partition.
#pragma once
#include "core/measure/phase_recorder.hpp"
#include "core/order/nd/coarsening_plan.hpp"
#include "core/order/nd/separator.hpp"

namespace lufact::nd {

inline constexpr Index most_parts = 1024;

struct PartitionRules {
  Index parts = 1;       // a power of two, at most most_parts
  Index hub_degree = 0;  // vertices with more neighbours are hubs, left out of coarsening
  std::uint64_t seed = 0;
};

struct PartitionWithSeparator {
  Partition partition;
  Separator separator;
};

// The partition of a graph that `depth` coarsening steps have made: takes the steps that remain,
// partitions the coarsest graph and refines the partition up to this graph. Vertices of more than
// `hub_degree` neighbours are left out where the graph is the finest one. Sub-phases "coarsen",
// "bisect" and "refine".
Partition multilevel_partition(const Graph& graph, const CoarseningPlan& plan, std::size_t depth,
                               Index hub_degree, int threads, PhaseRecorder& phases);

// Partition and separator of `graph` on the host's threads. Sub-phases as above, and "separator".
PartitionWithSeparator partition_with_separator(const Graph& graph, const PartitionRules& rules,
                                                int threads, PhaseRecorder& phases);

}  // namespace lufact::nd
