// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/base/types.hpp"

#ifdef __CUDACC__
#define LUFACT_ROW_MATRIX __host__ __device__
#else
#define LUFACT_ROW_MATRIX
#endif

namespace lufact::gpu::schemes {

// A matrix by rows, as C arrays are: the threads of a block, which take the columns of a row, read
// and write neighbours.
template <class Real>
struct RowMatrix {
  Real* first = nullptr;
  Offset stride = 0;  // from a row to the next
  Index rows = 0, columns = 0;

  LUFACT_ROW_MATRIX Real& operator()(Offset i, Offset j) const { return first[i * stride + j]; }
  // `some_rows` x `some_columns` of it from entry (i, j) on.
  LUFACT_ROW_MATRIX RowMatrix part(Index i, Index j, Index some_rows, Index some_columns) const {
    return {first + Offset{i} * stride + j, stride, some_rows, some_columns};
  }
  // The last rows and columns, from entry (i, j) on.
  LUFACT_ROW_MATRIX RowMatrix rest(Index i, Index j) const {
    return part(i, j, rows - i, columns - j);
  }
  Index order() const { return rows < columns ? rows : columns; }
};

}  // namespace lufact::gpu::schemes
