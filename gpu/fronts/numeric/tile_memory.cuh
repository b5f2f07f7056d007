// SPDX-License-Identifier: BSD-3-Clause
// The shared memory of a block that computes one tile.
#pragma once
#include "gpu/components/tensor_copy.cuh"
#include "gpu/fronts/numeric/elimination.cuh"

namespace lufact::gpu {

// One panel of L and one of U, the factors of a product.
template <class T>
struct ProductStage {
  T left[product_depth * tile_leading], right[product_depth * tile_leading];
};

// While products are summed, the tile itself is in registers, and its place holds panels as well.
template <class T>
struct alignas(16) TileMemory {
  static constexpr int stages = 4;

  union {
    T entry[tile * tile_leading];
    ProductStage<T> early_stage[stages / 2];
  };
  union {
    ProductStage<T> late_stage[stages / 2];
    T triangle[tile * tile_leading];  // a factor of a tile on the diagonal, or its inverse
    EliminationPanels<T, BlockGroup> panels;
  };
  Index ready_steps[2];  // pivot tiles whose tiles of L and U are known complete, by turns

  __device__ ProductStage<T>& stage(Index panel) {
    const Index number = panel % stages;
    return number < stages / 2 ? early_stage[number] : late_stage[number - stages / 2];
  }
};

// In shared memory beside the tile, for all tiles of a block: barriers of stages that the copy unit
// fills, and how many panels have gone through them.
struct PanelBarriers {
  static constexpr int stages = TileMemory<double>::stages;

  CopyBarrier full[stages], empty[stages];
  unsigned panels;

  // By all threads of the block, before its first tile and a barrier.
  __device__ void init() {
    if (threadIdx.x != 0) return;
    for (int s = 0; s < stages; ++s) {
      full[s].init(1);
      empty[s].init(tile_threads);
    }
    panels = 0;
    publish_barriers();
  }
};

}  // namespace lufact::gpu
