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
  CopyBarrier full[stages], empty[stages];  // of stages that the copy unit fills

  __device__ ProductStage<T>& stage(Index panel) {
    const Index number = panel % stages;
    return number < stages / 2 ? early_stage[number] : late_stage[number - stages / 2];
  }
};

}  // namespace lufact::gpu
