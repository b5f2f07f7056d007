// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>

#include "gpu/components/pointer_doubling.cuh"
#include "gpu/forest/panel_slots.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

// The place in found order of the slot of edge.high in the panel of the next neighbour: that slot
// is found by the row's last neighbour in that panel.
__device__ Offset place_of_next(const EdgeLists& edges, const PanelArrays& panels, Offset k,
                                Index panel) {
  Edge edge;
  do {
    load_edge(edges, ++k, edge);
  } while (panels.of[edge.next] == panel);
  return panels.slots_before[k];
}

// Notes the column by which an edge's path enters the panel of the next neighbour, where it ends: a
// path that enters a panel goes on to the panel's end.
__device__ void note_end(const EdgeLists& edges, const PanelArrays& panels,
                         const FoundArrays& found, const PanelWalk& walk, const Edge& edge,
                         Offset k) {
  const Index panel = walk.panel(), column = walk.column();
  if (panel != panels.of[edge.next] || column == edge.high) return;
  Word* const word = panel == panels.of[edge.high]
                         ? &panels.diagonal[edge.high]
                         : &found.word[place_of_next(edges, panels, k, panel)];
  atomicOr(word, bit(column - panels.first[panel]));
}

// One thread an edge. Every slot number is some edge's.
__global__ void write_found(const __grid_constant__ EdgeLists edges,
                            const __grid_constant__ PanelArrays panels,
                            const __grid_constant__ SlotArrays slots,
                            const __grid_constant__ FoundArrays found) {
  const Offset k = static_cast<Offset>(blockIdx.x) * threads + threadIdx.x;
  Edge edge;
  if (k >= edges.count || !load_edge(edges, k, edge)) return;
  PanelWalk walk(edges, panels);
  Offset place = panels.slots_before[k];
  walk.climb(edge, [&](Index panel, Index column) {
    found.row[place] = edge.high;
    found.panel[place] = panel;
    found.number[place] = static_cast<Index>(place);
    if (slots.symmetric) {
      atomicOr(&found.word[place], bit(column - panels.first[panel]));
    } else {
      slots.lower[place] = slots.upper[place] = 0;
    }
    ++place;
  });
  if (slots.symmetric) note_end(edges, panels, found, walk, edge, k);
}

class SlotPlacer {
 public:
  __device__ SlotPlacer(const PanelArrays& panels, const SlotArrays& slots,
                        const FoundArrays& found)
      : panels_(panels), slots_(slots), found_(found) {}

  // Fills the lists by panel and by row; row_slot only where slots are found in row order.
  __device__ void place(const Grid& grid, Index n, Index panel_count, bool in_row_order) const {
    grid.for_each(slots_.count, [&](Offset slot) {
      const Index place = found_.of_slot[slot];
      slots_.row[slot] = found_.row[place];
      if (in_row_order) slots_.row_slot[place] = static_cast<Index>(slot);
      if (slots_.symmetric)
        slots_.lower[slot] = from_column(slots_.panel[slot], found_.word[place]);
    });
    grid.for_each(panel_count + Offset{1}, [&](Offset panel) {
      slots_.ptr[panel] = lower_bound(slots_.panel, 0, slots_.count, static_cast<Index>(panel));
    });
    grid.for_each(n + Offset{1}, [&](Offset row) {
      slots_.row_ptr[row] = lower_bound(found_.row, 0, slots_.count, static_cast<Index>(row));
    });
  }

  // Counts the levels of the forest of panels, which the elimination takes one after the other.
  __device__ void find_height(const Grid& grid, Index panel_count, Index* work) const {
    const Doubling doubling{work, work + panel_count, work + Offset{2} * panel_count,
                            work + Offset{3} * panel_count};
    Index* const moving = work + Offset{Doubling::arrays} * panel_count;
    grid.for_each(PointerDoubling::counters, [&](Offset k) { moving[k] = 0; });
    grid.for_each(panel_count, [&](Offset panel) {
      const Index parent = panels_.parent[panel];
      doubling.value[panel] = 1;
      doubling.jump[panel] = parent < 0 ? panel_count : parent;
    });
    const Index* const depth = PointerDoubling(grid, panel_count, moving).sum_ancestors(doubling);
    Index height = 0;
    grid.for_each(panel_count, [&](Offset panel) { height = max(height, depth[panel]); });
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      height = max(height, __shfl_xor_sync(full_warp, height, distance));
    }
    if (threadIdx.x % warp_size == 0) atomicMax(&panels_.facts->height, height);
  }

  // Sets the bits of B's entries.
  __device__ void start_bits(const Grid& grid, const PatternRef& matrix, const Index* row_of,
                             Offset nnz) const {
    grid.for_each(nnz, [&](Offset entry) {
      const Index row = row_of[entry] < 0 ? ~row_of[entry] : row_of[entry];
      start_bit(row, matrix.col_idx[entry]);
    });
  }

  __device__ void start_elimination(const Grid& grid, Index panel_count,
                                    const FrontArrays& fronts) const {
    grid.for_each(FrontArrays::counter_count, [&](Offset k) { fronts.counters[k] = 0; });
    grid.for_each(panel_count, [&](Offset panel) {
      const Index first = panels_.first[panel], begin = slots_.ptr[panel];
      slots_.info[panel] = {first,
                            panels_.first[panel + 1] - first,
                            begin,
                            slots_.ptr[panel + 1] - begin,
                            panels_.parent[panel],
                            panels_.children[panel]};
      fronts.open_children[panel] = panels_.children[panel];
    });
    grid.for_each(slots_.count, [&](Offset slot) {
      const Index parent = panels_.parent[slots_.panel[slot]], row = slots_.row[slot];
      slots_.parent_slot[slot] = panels_.of[row] == parent ? -1 : find(parent, row);
    });
  }

 private:
  // The columns of a panel's path from the first one that is entered on.
  __device__ Word from_column(Index panel, Word entered) const {
    const int width = panels_.first[panel + 1] - panels_.first[panel];
    return bits_below(width) & ~bits_below(lowest_bit(entered));
  }

  __device__ void start_bit(Index row, Index column) const {
    const Index panel = panels_.of[min(row, column)], first = panels_.first[panel];
    if (panels_.of[max(row, column)] == panel) {
      atomicOr(&panels_.diagonal[row], bit(column - first));
    } else if (column < row) {
      atomicOr(&slots_.lower[find(panel, row)], bit(column - first));
    } else {
      atomicOr(&slots_.upper[find(panel, column)], bit(row - first));
    }
  }

  __device__ Index find(Index panel, Index row) const {
    return lower_bound(slots_.row, slots_.ptr[panel], slots_.ptr[panel + 1], row);
  }

  const PanelArrays& panels_;
  const SlotArrays& slots_;
  const FoundArrays& found_;
};

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    place_slots(const __grid_constant__ PatternRef matrix, const Index* row_of, Offset nnz,
                Index panel_count, bool in_row_order, const __grid_constant__ PanelArrays panels,
                const __grid_constant__ SlotArrays slots, const __grid_constant__ FoundArrays found,
                const __grid_constant__ FrontArrays fronts) {
  const Grid grid;
  const SlotPlacer placer(panels, slots, found);
  placer.place(grid, matrix.n, panel_count, in_row_order);
  if (slots.symmetric) return;
  grid.sync();
  placer.start_bits(grid, matrix, row_of, nnz);
  placer.start_elimination(grid, panel_count, fronts);
  placer.find_height(grid, panel_count, fronts.heights);
}

int bits_of(Index largest) {
  return std::bit_width(static_cast<unsigned>(largest));
}

}  // namespace

void SlotArrays::lay_out(Carver& carver, Index n, Index panels) {
  ptr = carver.take<Index>(panels + Offset{1});
  row = carver.take<Index>(count);
  panel = carver.take<Index>(count);
  lower = carver.take<Word>(count);
  upper = symmetric ? lower : carver.take<Word>(count);
  row_ptr = carver.take<Index>(n + Offset{1});
  row_slot = carver.take<Index>(count);
  if (symmetric) return;
  parent_slot = carver.take<Index>(count);
  info = carver.take<PanelInfo>(panels);
}

void FrontArrays::lay_out(Carver& carver, Index panels) {
  open_children = carver.take<Index>(panels);
  waiting = carver.take<Index>(panels);
  counters = carver.take<Index>(counter_count);
  heights = carver.take<Index>(Offset{Doubling::arrays} * panels + PointerDoubling::counters);
}

void FoundArrays::lay_out(DeviceSession& session, Carver& carver, const SlotArrays& slots) {
  row = carver.take<Index>(slots.count);
  panel = carver.take<Index>(slots.count);
  number = carver.take<Index>(slots.count);
  if (slots.symmetric) word = carver.take<Word>(slots.count);
  of_slot = carver.take<Index>(slots.count);
  sorting.bytes = sort_pairs_bytes(session, slots.count);
  sorting.data = carver.take<std::byte>(static_cast<Offset>(sorting.bytes));
}

void find_slots(DeviceSession& session, const PatternRef& matrix, const Index* row_of, Offset nnz,
                const EdgeLists& edges, const PanelArrays& panels, Index panel_count,
                const SlotArrays& slots, const FoundArrays& found, const FrontArrays& fronts) {
  if (slots.symmetric && slots.count > 0) {
    LUFACT_CUDA(
        cudaMemsetAsync(found.word, 0, checked_bytes(slots.count, sizeof(Word)), session.stream()));
  }
  launch(session, {ceil_div(edges.count, threads), threads}, write_found, edges, panels, slots,
         found);
  sort_pairs(session, found.sorting, found.panel, slots.panel, found.number, found.of_slot,
             slots.count, bits_of(panel_count));
  const bool in_row_order = edges.place_of == nullptr;
  launch_grid(session, std::max({nnz, Offset{slots.count}, matrix.n + Offset{1}}), place_slots,
              matrix, row_of, nnz, panel_count, in_row_order, panels, slots, found, fronts);
  if (in_row_order) return;
  // found.panel is not needed any more.
  sort_pairs(session, found.sorting, slots.row, found.panel, found.number, slots.row_slot,
             slots.count, bits_of(matrix.n));
}

}  // namespace lufact::gpu
