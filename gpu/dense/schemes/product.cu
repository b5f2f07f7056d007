// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/dense/schemes/elimination.cuh"
#include "gpu/dense/schemes/launch_on.cuh"
#include "gpu/dense/schemes/product.hpp"

namespace lufact::gpu::schemes {
namespace {

constexpr int block_side = 16, block_threads = block_side * block_side;

// Tiles of side x side that a block takes in turn: body(first row, first column).
template <class Real, class Body>
__device__ void for_each_tile(const RowMatrix<Real>& a, int side, const Body& body) {
  const Offset across = ceil_div(a.columns, side);
  const Offset tiles = ceil_div(a.rows, side) * across;
  for (Offset t = blockIdx.x; t < tiles; t += gridDim.x) body(t / across * side, t % across * side);
}

template <class Real>
__global__ void __launch_bounds__(block_threads)
    simple_kernel(RowMatrix<Real> l, RowMatrix<Real> u, RowMatrix<Real> a) {
  const int x = static_cast<int>(threadIdx.x) % block_side;
  const int y = static_cast<int>(threadIdx.x) / block_side;
  for_each_tile(a, block_side, [&](Offset i0, Offset j0) {
    const Offset i = i0 + y, j = j0 + x;
    if (i >= a.rows || j >= a.columns) return;
    Real value = a(i, j);
    for (Index k = 0; k < l.columns; ++k) value = eliminated(value, l(i, k), u(k, j));
    a(i, j) = value;
  });
}

constexpr int tile_side = 64, chunk = 16;
constexpr int per_thread = tile_side / block_side;  // rows, and columns, of a tile

// A chunk of columns of l and of rows of u. Zeros stand beyond their ends: terms with two of them
// leave every number as it is.
template <class Real>
struct FactorChunks {
  Real l[chunk][tile_side + 1];
  Real u[chunk][tile_side];

  __device__ void load(const RowMatrix<Real>& from_l, const RowMatrix<Real>& from_u, Offset i0,
                       Offset j0, Offset k0) {
    for (int e = static_cast<int>(threadIdx.x); e < chunk * tile_side; e += block_threads) {
      const Offset i = i0 + e / chunk, k = k0 + e % chunk;
      const bool inside = i < from_l.rows && k < from_l.columns;
      l[e % chunk][e / chunk] = inside ? from_l(i, k) : Real{0};
    }
    for (int e = static_cast<int>(threadIdx.x); e < chunk * tile_side; e += block_threads) {
      const Offset k = k0 + e / tile_side, j = j0 + e % tile_side;
      const bool inside = k < from_u.rows && j < from_u.columns;
      u[e / tile_side][e % tile_side] = inside ? from_u(k, j) : Real{0};
    }
  }
};

// What a thread has of a tile: rows 4 y to 4 y + 3, columns x, x + 16, x + 32, x + 48.
template <class Real>
struct OwnEntries {
  Real value[per_thread][per_thread];

  // body(value, row, column) for every entry that is inside.
  template <class Body>
  __device__ void for_each(const RowMatrix<Real>& a, Offset i0, Offset j0, const Body& body) {
    const int x = static_cast<int>(threadIdx.x) % block_side;
    const int y = static_cast<int>(threadIdx.x) / block_side;
#pragma unroll
    for (int r = 0; r < per_thread; ++r) {
#pragma unroll
      for (int c = 0; c < per_thread; ++c) {
        const Offset i = i0 + per_thread * y + r, j = j0 + x + block_side * c;
        if (i < a.rows && j < a.columns) body(value[r][c], i, j);
      }
    }
  }

  __device__ void subtract(const FactorChunks<Real>& factors) {
    const int x = static_cast<int>(threadIdx.x) % block_side;
    const int y = static_cast<int>(threadIdx.x) / block_side;
#pragma unroll
    for (int k = 0; k < chunk; ++k) {
      Real l[per_thread], u[per_thread];
#pragma unroll
      for (int r = 0; r < per_thread; ++r) l[r] = factors.l[k][per_thread * y + r];
#pragma unroll
      for (int c = 0; c < per_thread; ++c) u[c] = factors.u[k][x + block_side * c];
#pragma unroll
      for (int r = 0; r < per_thread; ++r) {
#pragma unroll
        for (int c = 0; c < per_thread; ++c) value[r][c] = eliminated(value[r][c], l[r], u[c]);
      }
    }
  }
};

template <class Real>
__global__ void __launch_bounds__(block_threads)
    tiled_kernel(RowMatrix<Real> l, RowMatrix<Real> u, RowMatrix<Real> a) {
  __shared__ FactorChunks<Real> factors;
  for_each_tile(a, tile_side, [&](Offset i0, Offset j0) {
    OwnEntries<Real> own{};
    own.for_each(a, i0, j0, [&](Real& value, Offset i, Offset j) { value = a(i, j); });
    for (Offset k0 = 0; k0 < l.columns; k0 += chunk) {
      factors.load(l, u, i0, j0, k0);
      __syncthreads();
      own.subtract(factors);
      __syncthreads();
    }
    own.for_each(a, i0, j0, [&](Real& value, Offset i, Offset j) { a(i, j) = value; });
  });
}

}  // namespace

template <class Real>
void subtract_product(cudaStream_t stream, DenseProduct product, Offset most_blocks,
                      const RowMatrix<Real>& l, const RowMatrix<Real>& u, const RowMatrix<Real>& a,
                      SchemeCounts& counts) {
  if (a.rows == 0 || a.columns == 0) return;
  const bool tiled = product == DenseProduct::own;
  const int side = tiled ? tile_side : block_side;
  const Offset tiles = ceil_div(a.rows, side) * ceil_div(a.columns, side);
  const Offset blocks = std::min(most_blocks, tiles);
  launch_on(stream, {blocks, block_threads}, tiled ? tiled_kernel<Real> : simple_kernel<Real>, l, u,
            a);
  counts.add_grid(blocks, 0);
}

#define LUFACT_PRODUCT_OF(Real)                                                              \
  template void subtract_product(cudaStream_t, DenseProduct, Offset, const RowMatrix<Real>&, \
                                 const RowMatrix<Real>&, const RowMatrix<Real>&, SchemeCounts&);
LUFACT_PRODUCT_OF(float)
LUFACT_PRODUCT_OF(double)
#undef LUFACT_PRODUCT_OF

}  // namespace lufact::gpu::schemes
