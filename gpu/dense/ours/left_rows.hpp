// SPDX-License-Identifier: BSD-3-Clause
// The exchanges that columns of L lack once all pivots are known. Each exchange in its turn touches
// single entries of a column, which memory gives and takes by 32 or 64 bytes; all of them together
// are one pass over the column.
#pragma once
#include <cuda_runtime_api.h>

#include "core/base/types.hpp"

namespace lufact::gpu::blocked {

template <class T>
struct LeftRows {
  T* a = nullptr;  // row 0 and column 0 of the matrix
  Offset ld = 1;
  Index rows = 0, order = 0;  // order: pivots
  // The first blocks of columns, which lack the exchanges of the blocks behind each; a whole number
  // of lists each.
  Index blocks = 0, block = 0;
  // Of each pivot from 0 on, as Panel has them, in lists of `list` pivots that were found together.
  const Index *origin = nullptr, *destination = nullptr;
  int list = 32;
  Index* source = nullptr;  // work: [blocks][rows]
  T* column = nullptr;      // work: [thread_blocks][rows]
  int thread_blocks = 1;
};

// Asynchronous, two launches.
template <class T>
void exchange_left_rows(cudaStream_t stream, const LeftRows<T>& left);

}  // namespace lufact::gpu::blocked
