// SPDX-License-Identifier: BSD-3-Clause
// The exchanges of a panel in other columns, all at once: with p pivots, the rows of the pivots
// come up into the first p rows, and those of the first p rows that are no pivots go where the
// pivots were.
#pragma once
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu::blocked {

// Of lane l of a warp; rows count from the panel's first.
struct RowMove {
  int pivots;         // at most 32
  Index origin;       // of the row that becomes row l
  Index destination;  // of row l; below `pivots` where it is a pivot itself

  __device__ bool is_one() const { return static_cast<int>(threadIdx.x % warp_size) < pivots; }
};

// In columns column[0 .. count), `stride` apart, count <= kAtOnce. By all lanes of a warp; others
// do not touch these columns.
template <int kAtOnce, class T>
__device__ void move_rows(T* column, Offset stride, int count, const RowMove& move) {
  const int row = static_cast<int>(threadIdx.x % warp_size);
  T up[kAtOnce], down[kAtOnce];
#pragma unroll
  for (int c = 0; c < kAtOnce; ++c) {
    if (c >= count || !move.is_one()) continue;
    up[c] = column[c * stride + move.origin];
    down[c] = column[c * stride + row];
  }
  __syncwarp();
#pragma unroll
  for (int c = 0; c < kAtOnce; ++c) {
    if (c >= count || !move.is_one()) continue;
    column[c * stride + row] = up[c];
    if (move.destination >= move.pivots) column[c * stride + move.destination] = down[c];
  }
  __syncwarp();
}

}  // namespace lufact::gpu::blocked
