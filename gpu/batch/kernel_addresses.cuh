// SPDX-License-Identifier: BSD-3-Clause
// Where the matrices of a batch are, for kernels.
#pragma once
#include "gpu/batch/kernel_arguments.hpp"

namespace lufact::gpu {

// Number of the block: BatchKernel::launch() lays more than 2^31 - 1 of them out in two dimensions,
// the last row of which may go beyond what was asked for.
__device__ inline Offset batch_block() {
  return static_cast<Offset>(blockIdx.y) * gridDim.x + blockIdx.x;
}

// Entry (0, 0) of matrix k of an array whose matrices have `columns` columns; of a contiguous
// layout or of pointers, whose entry (i, j) is at [j * ld + i].
template <class Real>
__device__ Real* batch_matrix(void* array, std::int32_t layout, Offset k, Offset ld,
                              Offset columns) {
  if (layout == static_cast<std::int32_t>(ArrayLayout::pointers)) {
    return static_cast<Real**>(array)[k];
  }
  return static_cast<Real*>(array) + k * ld * columns;
}

}  // namespace lufact::gpu
