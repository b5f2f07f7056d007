// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/dense/schemes/row_layout.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu::schemes {
namespace {

constexpr int tile_size = 32, tile_lines = 8;  // a block has tile_size x tile_lines threads
constexpr Offset most_blocks = 1 << 16;

// to(j, i) := from(i, j); both are by rows.
template <class Real>
__global__ void transpose_kernel(RowMatrix<Real> from, RowMatrix<Real> to) {
  __shared__ Real tile[tile_size][tile_size + 1];
  const int lane = static_cast<int>(threadIdx.x) % tile_size;
  const int line = static_cast<int>(threadIdx.x) / tile_size;
  const Offset tiles_across = ceil_div(from.columns, tile_size);
  const Offset tiles = ceil_div(from.rows, tile_size) * tiles_across;
  for (Offset t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Offset i0 = t / tiles_across * tile_size, j0 = t % tiles_across * tile_size;
    for (int k = line; k < tile_size; k += tile_lines) {
      if (i0 + k < from.rows && j0 + lane < from.columns) tile[k][lane] = from(i0 + k, j0 + lane);
    }
    __syncthreads();
    for (int k = line; k < tile_size; k += tile_lines) {
      if (j0 + k < to.rows && i0 + lane < to.columns) to(j0 + k, i0 + lane) = tile[lane][k];
    }
    __syncthreads();
  }
}

template <class Real>
void transpose(DeviceSession& session, const RowMatrix<Real>& from, const RowMatrix<Real>& to) {
  const Offset tiles = ceil_div(from.rows, tile_size) * ceil_div(from.columns, tile_size);
  launch(session, {std::min(tiles, most_blocks), tile_size * tile_lines}, transpose_kernel<Real>,
         from, to);
}

// A matrix by columns is its transpose by rows.
template <class Real>
RowMatrix<Real> transposed(Real* columns, Index ld, const RowMatrix<Real>& rows) {
  return {columns, ld, rows.columns, rows.rows};
}

}  // namespace

template <class Real>
void copy_to_rows(DeviceSession& session, Real* columns, Index ld, const RowMatrix<Real>& rows) {
  transpose(session, transposed(columns, ld, rows), rows);
}

template <class Real>
void copy_to_columns(DeviceSession& session, const RowMatrix<Real>& rows, Real* columns, Index ld) {
  transpose(session, rows, transposed(columns, ld, rows));
}

#define LUFACT_ROW_LAYOUT_OF(Real)                                                  \
  template void copy_to_rows(DeviceSession&, Real*, Index, const RowMatrix<Real>&); \
  template void copy_to_columns(DeviceSession&, const RowMatrix<Real>&, Real*, Index);
LUFACT_ROW_LAYOUT_OF(float)
LUFACT_ROW_LAYOUT_OF(double)
#undef LUFACT_ROW_LAYOUT_OF

}  // namespace lufact::gpu::schemes
