// SPDX-License-Identifier: BSD-3-Clause
// Panels of stored tiles on their way to shared memory.
#pragma once
#include "gpu/components/async_copy.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

// Copies a panel of product_depth rows of a stored tile. By all threads of a block.
template <class T>
__device__ void copy_panel(T* panel, const T* stored) {
  constexpr unsigned piece = 16 / sizeof(T), pieces = tile / piece;
#pragma unroll
  for (unsigned first = 0; first < product_depth * pieces; first += tile_threads) {
    const unsigned p = first + threadIdx.x;
    copy_16_bytes(panel + p / pieces * tile_leading + p % pieces * piece, stored + p * piece);
  }
}

}  // namespace lufact::gpu
