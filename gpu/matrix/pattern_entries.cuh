// SPDX-License-Identifier: BSD-3-Clause
// Finding entries of a pattern with ascending columns.
#pragma once
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// The row of entry `entry`: the last one that begins at or before it and is not empty.
__device__ inline Index row_of_entry(const PatternRef& matrix, Offset entry) {
  Index low = 0, high = matrix.n - 1;
  while (low < high) {
    const Index middle = low + (high - low + 1) / 2;
    if (matrix.row_ptr[middle] <= entry) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// Its position; -1 where there is none.
__device__ inline Offset find_entry(const PatternRef& matrix, Index row, Index column) {
  Offset low = matrix.row_ptr[row], high = matrix.row_ptr[row + 1];
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    const Index here = matrix.col_idx[middle];
    if (here == column) return middle;
    if (here < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return -1;
}

__device__ inline bool has_entry(const PatternRef& matrix, Index row, Index column) {
  return find_entry(matrix, row, column) >= 0;
}

}  // namespace lufact::gpu
