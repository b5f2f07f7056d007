// SPDX-License-Identifier: BSD-3-Clause
#include "core/order/nd/partition_with_separator.hpp"
#include "gpu/components/carver.hpp"
#include "gpu/ordering/kway_refinement.hpp"
#include "gpu/ordering/kway_rounds.cuh"

namespace lufact::gpu {
namespace {

using Sum = unsigned long long;

// The partition of the graph's clusters.
struct CoarsePartition {
  const Index *cluster_of = nullptr, *part = nullptr;
  const char* near_cut = nullptr;
};

__device__ void project(const CoarsePartition& coarse, const KWayArrays& fine, Offset v) {
  const Index c = coarse.cluster_of[v];
  fine.part[v] = c < 0 ? -1 : coarse.part[c];
  fine.is_active[v] = c < 0 ? 0 : coarse.near_cut[c];
}

// Each block sums its vertices by part, then adds its sums to the global ones.
__device__ void weigh_parts(const Grid& grid, const GraphRef& graph, Index parts,
                            const KWayArrays& arrays) {
  __shared__ Sum weight[nd::most_parts], total;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (Index k = thread; k < parts; k += threads) weight[k] = 0;
  if (thread == 0) total = 0;
  __syncthreads();
  grid.for_each(graph.n, [&](Offset v) {
    const Index own = arrays.part[v];
    if (own >= 0) {
      atomicAdd(&weight[own], static_cast<Sum>(weight_of(graph, static_cast<Index>(v))));
    }
  });
  __syncthreads();
  for (Index k = thread; k < parts; k += threads) {
    if (weight[k] == 0) continue;
    atomicAdd(&arrays.part_weight[k], weight[k]);
    atomicAdd(&total, weight[k]);
  }
  __syncthreads();
  if (thread == 0 && total != 0) atomicAdd(arrays.total_weight, total);
}

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    refine_partition(const __grid_constant__ GraphRef graph,
                     const __grid_constant__ CoarsePartition coarse,
                     const __grid_constant__ KWayRules rules,
                     const __grid_constant__ KWayArrays arrays,
                     const __grid_constant__ LevelCostTable cost_table) {
  __shared__ float shared_costs[LevelCostTable::levels];
  const Grid grid;
  const DeviceLevelCosts costs(shared_costs, cost_table);
  const VertexGroups groups(grid, graph.n);
  KWayRounds rounds(graph, rules, arrays, costs);
  const auto walk_where = [&](auto condition) {
    return
        [&, condition](Index v) { return condition(v) ? graph.degree[v] : VertexGroups::skipped; };
  };
  grid.for_each(graph.n, [&](Offset v) {
    project(coarse, arrays, v);
    rounds.start(static_cast<Index>(v));
  });
  grid.sync();
  weigh_parts(grid, graph, rules.parts, arrays);
  groups.for_each(walk_where([&](Index v) { return rounds.may_be_active(v); }),
                  [&](const auto& group, Index v) { rounds.find_boundary(group, v); });
  grid.sync();
  rounds.find_limit();
  const auto active = walk_where([&](Index v) { return rounds.is_active(v); });
  for (int round = 0; round < rules.rounds; ++round) {
    const bool daring = round + 2 < rules.rounds;
    groups.for_each(active, [&](const auto& group, Index v) { rounds.propose(group, v, daring); });
    grid.sync();
    groups.for_each(active, [&](const auto& group, Index v) { rounds.judge(group, v, round); });
    grid.sync();
    groups.for_each(walk_where([&](Index v) { return rounds.is_moving(v); }),
                    [&](const auto& group, Index v) { rounds.move(group, v, round); });
    grid.sync();
    if (rounds.is_settled(round)) break;
  }
}

}  // namespace

DevicePartition upload(DeviceSession& session, const nd::Partition& partition) {
  const auto n = static_cast<std::size_t>(partition.part.size());
  return {partition.parts,
          upload_copy(session, MemoryRole::scratch,
                      std::span<const Index>(partition.part.begin(), n), "parts of vertices"),
          upload_copy(session, MemoryRole::scratch,
                      std::span<const char>(partition.near_cut.begin(), n), "vertices near a cut")};
}

DevicePartition project_and_refine(DeviceSession& session, const DeviceGraph& graph,
                                   const Index* cluster_of, const DevicePartition& coarse) {
  const nd::RefinementRules usual{.parts = coarse.parts};
  const KWayRules rules{usual.parts, usual.rounds, usual.imbalance};
  constexpr MemoryRole role = MemoryRole::scratch;
  DevicePartition fine{coarse.parts,
                       {session, role, graph.n, "parts of vertices"},
                       {session, role, graph.n, "vertices near a cut"}};
  KWayArrays arrays;
  arrays.part = fine.part.data();
  arrays.is_active = fine.near_cut.data();
  Buffer<Sum> sums(session, role, Offset{rules.parts} + 1 + rules.rounds, "weights of parts");
  sums.fill_bytes(0);
  arrays.part_weight = sums.data();
  arrays.total_weight = arrays.part_weight + rules.parts;
  arrays.moved = arrays.total_weight + 1;
  const Buffer<std::byte> block = carve(session, "moves to other parts", [&](Carver& carver) {
    arrays.target = carver.take<Index>(graph.n);
    arrays.gain = carver.take<float>(graph.n);
    arrays.moves = carver.take<unsigned char>(graph.n);
  });
  const CoarsePartition given{cluster_of, coarse.part.data(), coarse.near_cut.data()};
  launch_over_vertices(session, graph.n, refine_partition, graph.ref(), given, rules, arrays,
                       level_cost_table());
  return fine;
}

}  // namespace lufact::gpu
