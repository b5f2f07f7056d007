// SPDX-License-Identifier: BSD-3-Clause
// Panels of the factors of a product that the copy unit of cards from 9.0 on brings to a ring in
// shared memory.
#pragma once
#include "gpu/components/tensor_copy.cuh"
#include "gpu/components/tensor_map.hpp"
#include "gpu/dense/ours/product.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu::blocked {

struct ProductMaps {
  CUtensorMap left, right;
};

// A panel of both factors as their maps bring it: of the left one boxes whose lines are its
// columns; of the right one a box whose lines, of 128 bytes, are the columns of the tile.
template <class Tile>
struct MappedPanel {
  using Entry = typename Tile::Entry;
  static constexpr MappedBox left_box{Tile::left_box_rows, Tile::depth, Tile::left_is_swizzled};
  static constexpr MappedBox right_box{Tile::depth, Tile::columns, true};
  static constexpr int left_boxes = Tile::rows / Tile::left_box_rows;
  static constexpr int bytes = (Tile::rows + Tile::columns) * Tile::depth * int{sizeof(Entry)};
  static_assert(Tile::depth * sizeof(Entry) == 128);

  alignas(1024) Entry left[left_boxes][Tile::depth * Tile::left_box_rows];
  alignas(1024) Entry right[Tile::columns * Tile::depth];
};

// Where a lane stands; `row` and `column` are the first ones of its warp in the tile.
template <class Tile>
struct MappedLane {
  int warp = static_cast<int>(threadIdx.x) / warp_size;
  int lane = static_cast<int>(threadIdx.x) % warp_size;
  int row = warp % (Tile::rows / Tile::warp_rows) * Tile::warp_rows;
  int column = warp / (Tile::rows / Tile::warp_rows) * Tile::warp_columns;
};

// Panels follow each other through the stages. Warps take turns at starting copies; each panel is
// asked for two panels before its turn, when all warps should long have released the stage that it
// takes, since they may be up to a panel apart.
template <class Tile>
class PanelRing {
 public:
  using Panel = MappedPanel<Tile>;

  // By all threads of the block.
  __device__ void open(const MappedLane<Tile>& lane, const ProductMaps& maps, int row, int column,
                       Index panels) {
    if (lane.warp == 0 && is_elected()) {
#pragma unroll
      for (int s = 0; s < Tile::stages; ++s) {
        full_[s].init(1);
        empty_[s].init(Tile::warps);
      }
      publish_barriers();
      for (Index panel = 0; panel < min(panels, Index{Tile::stages}); ++panel) {
        copy(maps, row, column, panel);
      }
    }
    __syncthreads();
  }
  // By all warps in each turn of the loop over panels.
  __device__ void refill(const MappedLane<Tile>& lane, const ProductMaps& maps, int row, int column,
                         Index panel, Index panels) {
    const Index next = panel + ahead;
    if (next < Tile::stages || next >= panels) return;
    if (lane.warp != next % Tile::warps || !is_elected()) return;
    empty_[next % Tile::stages].wait(parity(next - Tile::stages));
    copy(maps, row, column, next);
  }
  // The panel when it is there.
  __device__ const Panel& wait(Index panel) {
    full_[panel % Tile::stages].wait(parity(panel));
    return stage_[panel % Tile::stages];
  }
  // When the warp has read all that it needs of the panel.
  __device__ void release(const MappedLane<Tile>& lane, Index panel) {
    __syncwarp();
    if (is_elected()) empty_[panel % Tile::stages].arrive();
  }

 private:
  static constexpr int ahead = 2;

  __device__ static unsigned parity(Index panel) {
    return static_cast<unsigned>(panel) / Tile::stages % 2;
  }
  __device__ void copy(const ProductMaps& maps, int row, int column, Index panel) {
    Panel& to = stage_[panel % Tile::stages];
    CopyBarrier& barrier = full_[panel % Tile::stages];
    barrier.arrive_and_expect(Panel::bytes);
#pragma unroll
    for (int box = 0; box < Panel::left_boxes; ++box) {
      copy_box(to.left[box], maps.left, row + box * Tile::left_box_rows, panel * Tile::depth,
               barrier);
    }
    copy_box(to.right, maps.right, panel * Tile::depth, column, barrier);
  }

  Panel stage_[Tile::stages];
  CopyBarrier full_[Tile::stages], empty_[Tile::stages];
};

}  // namespace lufact::gpu::blocked
