// SPDX-License-Identifier: BSD-3-Clause
// What a block of pivots does to columns beside it: the exchanges of its rows, and the solution
// with its triangle, which makes them rows of U or of a solution.
#pragma once
#include <cuda_runtime_api.h>

#include "core/base/types.hpp"
#include "gpu/dense/ours/ours_sizes.hpp"

namespace lufact::gpu::blocked {

struct ColumnRange {
  Index begin = 0, end = 0;
};

enum class Triangle { unit_lower, upper };

template <class T>
struct BlockRows {
  const T* triangle = nullptr;  // the block's first entry on the diagonal
  Offset ld = 1;
  T* x = nullptr;  // row 0 and column 0 of the matrix that the columns belong to
  Offset ldx = 1;
  Index first = 0, depth = 0;  // rows of x that are the block's; solved: at most solve_depth
  ColumnRange moved, solved;   // columns of x that are only exchanged; exchanged and solved
  // Of each pivot from 0 on, as Panel has them, in lists of `list` pivots that were found together;
  // null where rows are not exchanged.
  const Index *origin = nullptr, *destination = nullptr;
  Index pivots = 0;  // those from `first` on, by which rows are exchanged
  int list = 32;
};

// Asynchronous. Substitution, column by column, in a fixed order.
template <class T>
void apply_block(cudaStream_t stream, Triangle triangle, const BlockRows<T>& rows);

}  // namespace lufact::gpu::blocked
