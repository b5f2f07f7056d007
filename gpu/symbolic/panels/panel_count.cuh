// SPDX-License-Identifier: BSD-3-Clause
// Cuts the forest into panels and counts their slots: steps of a cooperative kernel.
#pragma once
#include "gpu/components/grid_scan.cuh"
#include "gpu/forest/panel_slots.cuh"

namespace lufact::gpu {

// In shared memory.
struct CountStorage {
  GridScanStorage<Index> columns;
  GridScanStorage<Offset> slots;
};

class PanelCounter {
 public:
  __device__ PanelCounter(const Index* parent, const EdgeLists& edges, const PanelArrays& panels,
                          CountStorage& shared)
      : parent_(parent), edges_(edges), panels_(panels), shared_(shared), n_(edges.n) {}

  // Fills panels, slots_before and facts. Ends without a barrier.
  __device__ void run(const Grid& grid) const {
    grid.for_each(n_, [&](Offset k) {
      panels_.children[k] = 0;
      panels_.diagonal[k] = 0;
    });
    cut_panels(grid);
    grid.sync();
    link_panels(grid);
    grid.sync();
    count_slots(grid);
    grid.sync();
    add_up_slots(grid);
  }

 private:
  // Cuts the paths of the forest with consecutive labels into panels.
  __device__ void cut_panels(const Grid& grid) const {
    Index* const start = panels_.of;  // of the path of each column, until its panel is known
    grid_scan(
        grid, shared_.columns, panels_.partial_starts, n_, Index{0}, Larger{},
        [&](Offset k) { return k > 0 && parent_[k - 1] == k ? Index{0} : static_cast<Index>(k); },
        [&](Offset k, Index latest) { start[k] = latest; });
    const auto is_first = [&](Offset k) { return (k - start[k]) % panel_width == 0; };
    grid_scan(
        grid, shared_.columns, panels_.partial_heads, n_, Index{0}, Plus{},
        [&](Offset k) { return Index{is_first(k)}; },
        [&](Offset k, Index count) {
          if (is_first(k)) panels_.first[count - 1] = static_cast<Index>(k);
          panels_.of[k] = count - 1;
          if (k < n_ - 1) return;
          panels_.first[count] = n_;
          panels_.facts->panels = count;
        });
  }

  // The last column of every panel links the panel to its parent.
  __device__ void link_panels(const Grid& grid) const {
    grid.for_each(n_, [&](Offset k) {
      const Index panel = panels_.of[k];
      if (k < n_ - 1 && panels_.of[k + 1] == panel) return;
      const Index next = parent_[k];
      panels_.next[panel] = next;
      panels_.parent[panel] = next < n_ ? panels_.of[next] : -1;
      if (next < n_) atomicAdd(&panels_.children[panels_.of[next]], 1);
    });
  }

  // slots_before[k + 1]: slots that edge k finds.
  __device__ void count_slots(const Grid& grid) const {
    PanelWalk walk(edges_, panels_);
    grid.for_each(edges_.count, [&](Offset k) {
      Edge edge;
      Index found = 0;
      if (load_edge(edges_, k, edge)) walk.climb(edge, [&](Index, Index) { ++found; });
      panels_.slots_before[k + 1] = found;
    });
    if (grid.rank() == 0) panels_.slots_before[0] = 0;
  }

  __device__ void add_up_slots(const Grid& grid) const {
    Offset* const before = panels_.slots_before;
    grid_scan(
        grid, shared_.slots, panels_.partial, edges_.count, Offset{0}, Plus{},
        [&](Offset k) { return before[k + 1]; },
        [&](Offset k, Offset slots) {
          before[k + 1] = slots;
          if (k == edges_.count - 1) panels_.facts->slots = slots;
        });
  }

  const Index* parent_;
  const EdgeLists& edges_;
  const PanelArrays& panels_;
  CountStorage& shared_;
  Index n_;
};

}  // namespace lufact::gpu
