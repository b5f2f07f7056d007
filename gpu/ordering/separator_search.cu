// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/carver.hpp"
#include "gpu/components/grid_scan.cuh"
#include "gpu/ordering/separator_rounds.cuh"
#include "gpu/ordering/separator_search.hpp"

namespace lufact::gpu {
namespace {

using Sum = unsigned long long;

__device__ void list_members(const Grid& grid, GridScanStorage<Index>& storage, Index n,
                             const SeparatorArrays& arrays) {
  const auto is_member = [&](Offset v) { return arrays.is_member[v] != 0 ? 1 : 0; };
  grid_scan(grid, storage, arrays.partial, n, Index{0}, Plus{}, is_member,
            [&](Offset v, Index inclusive) {
              if (is_member(v) != 0) arrays.members[inclusive - 1] = static_cast<Index>(v);
              if (v == n - 1) *arrays.member_count = inclusive;
            });
}

// Plays one round; returns to every thread how many vertices left.
__device__ Offset improve(const Grid& grid, const VertexGroups& groups, const GraphRef& graph,
                          const SeparatorRounds& rounds, int round, const SeparatorArrays& arrays,
                          Offset& members) {
  constexpr Index skipped = VertexGroups::skipped;
  groups.for_each(
      [&](Index v) {
        if (!rounds.is_open(v)) return skipped;
        return rounds.proposes(v, round) ? graph.degree[v] : 0;
      },
      [&](const auto& group, Index v) { rounds.propose(group, v, round); });
  grid.sync();
  groups.for_each([&](Index v) { return rounds.is_open(v) ? graph.degree[v] : skipped; },
                  [&](const auto& group, Index v) { rounds.leave_if_best(group, v); });
  grid.sync();
  groups.for_each(
      [&](Index v) {
        return rounds.is_pulled(v) || rounds.is_leaving(v) ? graph.degree[v] : skipped;
      },
      [&](const auto& group, Index v) { rounds.settle(group, v, round); });
  grid.sync();
  const auto left = static_cast<Offset>(arrays.left[round]);
  members += static_cast<Offset>(arrays.pulled_in[round]) - left;
  return left;
}

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    search_separator(const __grid_constant__ GraphRef graph, Index hub_degree,
                     const __grid_constant__ SeparatorArrays arrays,
                     const __grid_constant__ LevelCostTable cost_table) {
  __shared__ float shared_costs[LevelCostTable::levels];
  __shared__ GridScanStorage<Index> storage;
  const Grid grid;
  const DeviceLevelCosts costs(shared_costs, cost_table);
  const VertexGroups groups(grid, graph.n);
  const SeparatorRounds rounds(graph, hub_degree, arrays, costs);
  groups.for_each([&](Index v) { return rounds.may_be_cut(v) ? graph.degree[v] : 0; },
                  [&](const auto& group, Index v) { rounds.count_cut_edges(group, v); });
  grid.sync();
  groups.for_each([&](Index v) { return rounds.cut_edges(v) > 0 ? graph.degree[v] : 0; },
                  [&](const auto& group, Index v) { rounds.cover(group, v); });
  grid.sync();
  auto members = static_cast<Offset>(*arrays.covered);
  for (int sweep = 0; sweep < SeparatorRounds::sweeps; ++sweep) {
    if (sweep > 0) {
      grid.for_each(graph.n, [&](Offset v) { rounds.open_member(static_cast<Index>(v)); });
      grid.sync();
    }
    const int first = sweep * SeparatorRounds::rounds_a_sweep;
    for (int k = 0; k < SeparatorRounds::rounds_a_sweep && members > 0; ++k) {
      const Offset left = improve(grid, groups, graph, rounds, first + k, arrays, members);
      if (left * 50 < members) break;
    }
  }
  list_members(grid, storage, graph.n, arrays);
}

template <class T>
nd::Buffer<T> download(DeviceSession& session, const T* from, Offset count) {
  nd::Buffer<T> to(count);
  if (count > 0) session.copy_to_host(to.begin(), from, checked_bytes(count, sizeof(T)));
  return to;
}

}  // namespace

nd::Separator find_separator(DeviceSession& session, const DeviceGraph& graph, Index hub_degree,
                             DevicePartition& partition) {
  constexpr int sums = 2 * SeparatorRounds::rounds + 1;
  SeparatorArrays arrays;
  Sum* counts = nullptr;
  const Buffer<std::byte> block = carve(session, "moves out of the separator", [&](Carver& carver) {
    counts = carver.take<Sum>(sums);
    for (Index** const array : {&arrays.cut_edges, &arrays.target, &arrays.members}) {
      *array = carver.take<Index>(graph.n);
    }
    arrays.gain = carver.take<float>(graph.n);
    arrays.is_member = carver.take<char>(graph.n);
    for (unsigned char** const flags : {&arrays.is_open, &arrays.pulled, &arrays.leaves}) {
      *flags = carver.take<unsigned char>(graph.n);
    }
    arrays.partial = carver.take<Index>(most_grid_blocks(session));
    arrays.member_count = carver.take<Index>(1);
  });
  LUFACT_CUDA(cudaMemsetAsync(counts, 0, sums * sizeof(Sum), session.stream()));
  arrays.left = counts;
  arrays.pulled_in = counts + SeparatorRounds::rounds;
  arrays.covered = arrays.pulled_in + SeparatorRounds::rounds;
  arrays.part = partition.part.data();
  arrays.near_cut = partition.near_cut.data();
  launch_over_vertices(session, graph.n, search_separator, graph.ref(), hub_degree, arrays,
                       level_cost_table());
  nd::Separator separator;
  separator.vertices.resize(static_cast<std::size_t>(read_value(session, arrays.member_count)));
  separator.inside = download(session, arrays.is_member, graph.n);
  if (!separator.vertices.empty()) {
    session.copy_to_host(separator.vertices.data(), arrays.members,
                         separator.vertices.size() * sizeof(Index));
  }
  return separator;
}

nd::Partition download(DeviceSession& session, const DevicePartition& partition) {
  const Offset n = partition.part.size();
  return {partition.parts, download(session, partition.part.data(), n),
          download(session, partition.near_cut.data(), n)};
}

}  // namespace lufact::gpu
