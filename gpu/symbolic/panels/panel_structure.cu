// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/forest/elimination_forest.cuh"
#include "gpu/forest/forest_edges.hpp"
#include "gpu/symbolic/panels/panel_count.cuh"
#include "gpu/symbolic/panels/panel_structure.hpp"

namespace lufact::gpu {
namespace {

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    find_structure_kernel(const __grid_constant__ PatternRef matrix, Offset nnz,
                          const __grid_constant__ StructureArrays arrays,
                          const __grid_constant__ EdgeLists edges_in_order) {
  __shared__ CountStorage shared;
  const Grid grid;
  if (grid.rank() == 0) *arrays.counters = {};
  ForestBuilder(matrix, nnz, arrays.forest).run(grid);
  grid.sync();
  const ForestFacts& facts = arrays.counters->facts.forest;
  if (facts.one_sided > 0 || facts.crossings > 0) return;
  PanelCounter(arrays.forest.parent, edges_in_order, arrays.panels, shared).run(grid);
}

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    count_slots_kernel(const __grid_constant__ EdgeLists edges,
                       const __grid_constant__ StructureArrays arrays) {
  __shared__ CountStorage shared;
  const Grid grid;
  PanelCounter(arrays.forest.parent, edges, arrays.panels, shared).run(grid);
}

}  // namespace

void StructureArrays::lay_out_forest(Carver& carver, Index n, Offset nnz) {
  constexpr Offset least_pending = 1 << 16;
  const Offset vertices = n + Offset{1};
  forest.jumps = carver.take<Jumps>(vertices);
  forest.most_pending = std::min(nnz, std::max(vertices, least_pending));
  forest.pending = carver.take<EdgePair>(forest.most_pending);
}

void StructureArrays::lay_out_work(Carver& carver, Index n, Offset nnz, Offset blocks) {
  forest.parent = carver.take<Index>(n + Offset{1});
  forest.row_of = carver.take<Index>(nnz);
  panels.slots_before = carver.take<Offset>(nnz + 1);
  panels.partial = carver.take<Offset>(blocks);
  panels.partial_starts = carver.take<Index>(blocks);
  panels.partial_heads = carver.take<Index>(blocks);
}

void StructureArrays::lay_out_results(Carver& carver, Index n) {
  panels.of = carver.take<Index>(n);
  panels.first = carver.take<Index>(n + Offset{1});
  panels.next = carver.take<Index>(n);
  panels.parent = carver.take<Index>(n);
  panels.children = carver.take<Index>(n);
  panels.diagonal = carver.take<std::uint32_t>(n);
  counters = carver.take<Counters>(1);
  if (counters == nullptr) return;
  forest.facts = &counters->facts.forest;
  forest.open = counters->open;
  panels.facts = &counters->facts.panels;
}

StructureFacts find_structure(DeviceSession& session, const PatternRef& matrix, Offset nnz,
                              const StructureArrays& arrays) {
  launch_grid(session, std::max(nnz, Offset{matrix.n}), find_structure_kernel, matrix, nnz, arrays,
              edges_in_order(matrix, nnz, arrays.forest));
  return read_value(session, &arrays.counters->facts);
}

PanelFacts count_slots(DeviceSession& session, const EdgeLists& edges,
                       const StructureArrays& arrays) {
  launch_grid(session, std::max(edges.count, Offset{edges.n}), count_slots_kernel, edges, arrays);
  return read_value(session, arrays.panels.facts);
}

}  // namespace lufact::gpu
