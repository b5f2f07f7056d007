// SPDX-License-Identifier: BSD-3-Clause
// Finds the slots of a row by climbing the forest of panels from the row's earlier neighbours. In
// postorder, each neighbour climbs up to the panel of the next neighbour, or of the row itself. The
// paths of two neighbours do not meet before that, so that every slot is found once.
#pragma once
#include "gpu/forest/panel_bits.cuh"
#include "gpu/forest/panel_slots.hpp"

namespace lufact::gpu {

struct Edge {
  Index low = 0, high = 0;
  Index next = 0;  // the neighbour of `high` that follows `low`, or `high`
};

// False where item `k` is no edge.
__device__ inline bool load_edge(const EdgeLists& edges, Offset k, Edge& edge) {
  if (edges.keys == nullptr) {
    edge.high = edges.row_of[k];
    if (edge.high < 0) return false;
    edge.low = edges.matrix.col_idx[k];
    if (edge.low >= edge.high) return false;
    edge.next = edges.matrix.col_idx[k + 1];  // the diagonal at the latest
    return true;
  }
  const std::uint64_t key = edges.keys[k], mask = (std::uint64_t{1} << edges.bits) - 1;
  const auto vertex = [&](std::uint64_t place) {
    return edges.vertex_at == nullptr ? static_cast<Index>(place) : edges.vertex_at[place];
  };
  edge.high = static_cast<Index>(key >> edges.bits);
  edge.low = vertex(key & mask);
  edge.next = edge.high;
  if (k + 1 < edges.count) {
    const std::uint64_t after = edges.keys[k + 1];
    if (static_cast<Index>(after >> edges.bits) == edge.high) edge.next = vertex(after & mask);
  }
  return true;
}

// The first place in [low, high) of an ascending list from which on values are not below `value`.
__device__ inline Index lower_bound(const Index* list, Index low, Index high, Index value) {
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (list[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

class PanelWalk {
 public:
  __device__ PanelWalk(const EdgeLists& edges, const PanelArrays& panels)
      : edges_(edges), panels_(panels) {}

  // Calls visit(panel, column) for every panel with a slot for edge.high on this edge's path;
  // `column` is where the path enters it. Afterwards panel() and column() are the path's end.
  template <class Visit>
  __device__ void climb(const Edge& edge, const Visit& visit) {
    const Index stop = place(panels_.of[edge.next]);
    panel_ = panels_.of[edge.low];
    column_ = edge.low;
    while (place(panel_) < stop) {
      visit(panel_, column_);
      column_ = panels_.next[panel_];
      panel_ = panels_.parent[panel_];
    }
  }
  __device__ Index panel() const { return panel_; }
  __device__ Index column() const { return column_; }

 private:
  // Place of a panel in the postorder.
  __device__ Index place(Index panel) const {
    return edges_.place_of == nullptr ? panel : edges_.place_of[panels_.first[panel]];
  }

  const EdgeLists& edges_;
  const PanelArrays& panels_;
  Index panel_ = 0, column_ = 0;
};

}  // namespace lufact::gpu
