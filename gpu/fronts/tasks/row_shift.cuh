// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/fronts/tasks/front_problem.cuh"

namespace lufact::gpu {

// Maps a row of the front to a row of a tile: row - first for row < pivots, row + beyond for
// others.
struct RowShift {
  Index pivots, first, beyond;

  // For tile number `number` of a front.
  __device__ RowShift(const FrontShape& shape, Index number) {
    if (shape.tiles == 0) {
      pivots = shape.pivots;
      first = 0;
      beyond = padded_pivots(shape) - shape.pivots;
    } else if (number < shape.pivot_tiles) {
      pivots = shape.pivots;
      first = number * shape.pivot_width;
      beyond = -first;
    } else {
      pivots = 0;
      first = 0;
      beyond = -shape.pivots - (number - shape.pivot_tiles) * shape.row_width;
    }
  }
  __device__ Index inside(Index row) const { return row < pivots ? row - first : row + beyond; }
};

}  // namespace lufact::gpu
