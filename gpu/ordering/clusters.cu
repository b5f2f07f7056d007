// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/carver.hpp"
#include "gpu/components/grid_scan.cuh"
#include "gpu/ordering/clustering.cuh"
#include "gpu/ordering/clusters.hpp"

namespace lufact::gpu {
namespace {

// Numbers the clusters in the order of their leaders.
__device__ void number_clusters(const Grid& grid, GridScanStorage<Index>& storage, Index n,
                                const Index* leader, const ClusterArrays& arrays) {
  const auto stands = [&](Offset v) { return leader[v] == v ? 1 : 0; };
  grid_scan(grid, storage, arrays.partial, n, Index{0}, Plus{}, stands,
            [&](Offset v, Index inclusive) {
              arrays.number[v] = inclusive - stands(v);
              if (v == n - 1) *arrays.count = inclusive;
            });
  grid.sync();
  grid.for_each(
      n, [&](Offset v) { arrays.cluster_of[v] = leader[v] < 0 ? -1 : arrays.number[leader[v]]; });
}

// The length of a list that only free vertices walk.
__device__ auto free_lists(const GraphRef& graph, const ClusterRounds& rounds) {
  return [&](Index v) { return rounds.is_free(v) ? graph.degree[v] : 0; };
}

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    cluster_by_stars(const __grid_constant__ GraphRef graph,
                     const __grid_constant__ DeviceClusterRules rules,
                     const __grid_constant__ ClusterArrays arrays) {
  __shared__ GridScanStorage<Index> storage;
  const Grid grid;
  const VertexGroups groups(grid, graph.n);
  ClusterRounds rounds(graph, rules, arrays);
  grid.for_each(graph.n, [&](Offset v) { rounds.start(static_cast<Index>(v)); });
  grid.sync();
  for (int round = 0; round < 2; ++round) {
    groups.for_each(free_lists(graph, rounds),
                    [&](const auto& group, Index v) { rounds.elect_seed(group, v); });
    grid.sync();
    groups.for_each(free_lists(graph, rounds),
                    [&](const auto& group, Index v) { rounds.join_star(group, v); });
    grid.sync();
    rounds.swap_leaders();
  }
  groups.for_each(free_lists(graph, rounds),
                  [&](const auto& group, Index v) { rounds.join_neighbour(group, v); });
  grid.sync();
  rounds.swap_leaders();
  number_clusters(grid, storage, graph.n, rounds.leader(), arrays);
}

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    cluster_by_pairs(const __grid_constant__ GraphRef graph,
                     const __grid_constant__ DeviceClusterRules rules,
                     const __grid_constant__ ClusterArrays arrays) {
  __shared__ GridScanStorage<Index> storage;
  const Grid grid;
  const VertexGroups groups(grid, graph.n);
  ClusterRounds rounds(graph, rules, arrays);
  const auto choose = [&](bool only_free) {
    groups.for_each(free_lists(graph, rounds), [&](const auto& group, Index v) {
      rounds.choose_partner(group, v, only_free);
    });
    grid.sync();
  };
  grid.for_each(graph.n, [&](Offset v) { rounds.start(static_cast<Index>(v)); });
  grid.sync();
  for (int round = 0; round < 3; ++round) {
    choose(true);
    grid.for_each(graph.n, [&](Offset v) { rounds.pair_with_mutual_best(static_cast<Index>(v)); });
    grid.sync();
  }
  choose(false);
  groups.for_each(
      [&](Index v) { return rounds.leads_pair(v) ? graph.degree[v] : VertexGroups::skipped; },
      [&](const auto& group, Index v) { rounds.adopt(group, v); });
  grid.sync();
  grid.for_each(graph.n, [&](Offset v) { rounds.stay_alone(static_cast<Index>(v)); });
  grid.sync();
  number_clusters(grid, storage, graph.n, rounds.leader(), arrays);
}

}  // namespace

DeviceClusters find_clusters(DeviceSession& session, const DeviceGraph& graph,
                             const DeviceClusterRules& rules) {
  const Index n = graph.n;
  DeviceClusters clusters{0, {session, MemoryRole::scratch, n, "clusters of vertices"}};
  ClusterArrays arrays;
  const Buffer<std::byte> block = carve(session, "rounds of clustering", [&](Carver& carver) {
    for (Index** const array : {&arrays.leader, &arrays.next, &arrays.number, &arrays.partner}) {
      *array = carver.take<Index>(n);
    }
    arrays.priority = carver.take<std::uint32_t>(n);
    arrays.is_seed = carver.take<unsigned char>(n);
    arrays.partial = carver.take<Index>(most_grid_blocks(session));
    arrays.count = carver.take<Index>(1);
  });
  arrays.cluster_of = clusters.cluster_of.data();
  launch_over_vertices(session, n, rules.stars ? cluster_by_stars : cluster_by_pairs, graph.ref(),
                       rules, arrays);
  clusters.count = read_value(session, arrays.count);
  return clusters;
}

}  // namespace lufact::gpu
