// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/pointer_doubling.cuh"
#include "gpu/forest/subtree_intervals.hpp"

namespace lufact::gpu {
namespace {

__device__ Index parent_of(const Index* parent, Index n, Offset v) {
  return parent[v] < 0 ? n : parent[v];
}

// Finds where the subtree of each vertex begins inside its parent's subtree. taken: n + 1 zeros.
__device__ void place_siblings(const Grid& grid, Index n, const Index* parent, const Index* size,
                               Index* taken, Index* offset) {
  grid.for_each(n, [&](Offset v) {
    const Index p = parent_of(parent, n, v);
    offset[v] = p < n && p == v + 1 ? size[p] - 1 - size[v] : atomicAdd(&taken[p], size[v]);
  });
}

struct IntervalArrays {
  Doubling sizes, starts;
  Index* taken = nullptr;   // n + 1 zeros
  Index* moving = nullptr;  // counters, zero
  Index *first = nullptr, *size = nullptr;
};

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    find_intervals(Index n, const Index* parent, const __grid_constant__ IntervalArrays arrays) {
  const Grid grid;
  const auto start_jumps = [&](Index* jump) {
    grid.for_each(n, [&](Offset v) { jump[v] = parent_of(parent, n, v); });
  };
  PointerDoubling doubling(grid, n, arrays.moving);
  grid.for_each(n, [&](Offset v) { arrays.sizes.value[v] = arrays.sizes.value_next[v] = 1; });
  start_jumps(arrays.sizes.jump);
  const Index* const size = doubling.sum_subtrees(arrays.sizes);
  place_siblings(grid, n, parent, size, arrays.taken, arrays.starts.value);
  start_jumps(arrays.starts.jump);
  const Index* const first = doubling.sum_ancestors(arrays.starts);
  grid.for_each(n, [&](Offset v) {
    arrays.first[v] = first[v];
    arrays.size[v] = size[v];
  });
}

}  // namespace

SubtreeIntervals build_subtree_intervals(DeviceSession& session, Index n, const Index* parent) {
  constexpr int scratch_arrays = 6;  // both share the jumps
  constexpr int counters = PointerDoubling::counters;
  SubtreeIntervals intervals{{session, MemoryRole::scratch, n, "subtree starts"},
                             {session, MemoryRole::scratch, n, "subtree sizes"}};
  if (n == 0) return intervals;
  Buffer<Index> scratch(session, MemoryRole::scratch, Offset{scratch_arrays} * n + n + 1 + counters,
                        "ancestors by doubling");
  Index* const arrays = scratch.data();
  const Offset step = n;
  IntervalArrays view;
  view.sizes = {arrays, arrays + step, arrays + 2 * step, arrays + 3 * step};
  view.starts = {arrays + 4 * step, arrays + 5 * step, arrays + 2 * step, arrays + 3 * step};
  view.taken = arrays + scratch_arrays * step;
  view.moving = view.taken + n + 1;
  view.first = intervals.first.data();
  view.size = intervals.size.data();
  LUFACT_CUDA(cudaMemsetAsync(view.taken, 0, checked_bytes(n + Offset{1} + counters, sizeof(Index)),
                              session.stream()));
  launch_grid(session, n, find_intervals, n, parent, view);
  return intervals;
}

}  // namespace lufact::gpu
