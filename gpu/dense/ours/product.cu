// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/product.hpp"
#include "gpu/dense/ours/product_tiles.cuh"

namespace lufact::gpu::blocked {
namespace {

// Tiles follow each other down a column of tiles, which shares its panels of the right factor.
template <class T, int kPiece>
__global__ void __launch_bounds__(ProductTile<T>::threads,
                                  ProductTile<T>::blocks_per_multiprocessor)
    product_kernel(const __grid_constant__ Product<T> product, Index tile_rows) {
  using Tile = ProductTile<T>;
  extern __shared__ __align__(16) char memory[];
  auto* const stage = reinterpret_cast<ProductPanels<T>*>(memory);
  const Index row = static_cast<Index>(blockIdx.x) % tile_rows * Tile::rows;
  const Index column = static_cast<Index>(blockIdx.x) / tile_rows * Tile::columns;
  const int rows = min(product.rows - row, Index{Tile::rows});
  const int columns = min(product.columns - column, Index{Tile::columns});
  const Index panels = (product.depth + panel_depth - 1) / panel_depth;
  const auto copy = [&](Index panel) {
    if (panel < panels) {
      const Index k = panel * panel_depth;
      const int depth = min(product.depth - k, Index{panel_depth});
      ProductPanels<T>& to = stage[panel % Tile::stages];
      copy_lines<kPiece, panel_depth, Tile::rows, Tile::threads>(
          to.left, Tile::left_leading, product.left + k * product.ld_left + row, product.ld_left,
          depth, rows);
      copy_lines<kPiece, Tile::columns, panel_depth, Tile::threads>(
          to.right, Tile::right_leading, product.right + column * product.ld_right + k,
          product.ld_right, columns, depth);
    }
    commit_copies();
  };
#pragma unroll
  for (Index panel = 0; panel < Tile::stages - 1; ++panel) copy(panel);
  T* const target = product.target + column * product.ld_target + row;
  Tile tile;
  tile.for_each([&](int i, int j, T& sum) {
    sum = i < rows && j < columns ? -target[j * product.ld_target + i] : T(0);
  });
#pragma unroll 1
  for (Index panel = 0; panel < panels; ++panel) {
    wait_for_copies<Tile::stages - 2>();
    __syncthreads();
    copy(panel + Tile::stages - 1);
    const ProductPanels<T>& from = stage[panel % Tile::stages];
    tile.add(from.left, from.right);
  }
  tile.for_each([&](int i, int j, T& sum) {
    if (i < rows && j < columns) target[j * product.ld_target + i] = -sum;
  });
}

template <class T>
bool takes_pieces(const T* matrix, Offset ld, int piece) {
  const auto place = reinterpret_cast<std::uintptr_t>(matrix);
  return place % (static_cast<unsigned>(piece) * sizeof(T)) == 0 && ld % piece == 0;
}

}  // namespace

template <class T>
void subtract_product(cudaStream_t stream, const Product<T>& product) {
  using Tile = ProductTile<T>;
  constexpr int piece = 16 / static_cast<int>(sizeof(T));
  constexpr std::size_t shared_bytes = sizeof(ProductPanels<T>) * Tile::stages;
  if (product.rows == 0 || product.columns == 0 || product.depth == 0) return;
  const bool aligned = takes_pieces(product.left, product.ld_left, piece) &&
                       takes_pieces(product.right, product.ld_right, piece);
  const auto kernel = aligned ? product_kernel<T, piece> : product_kernel<T, 1>;
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes)));
  const Offset tile_rows = ceil_div(product.rows, Tile::rows);
  const Offset tile_columns = ceil_div(product.columns, Tile::columns);
  launch_on(stream, {tile_rows * tile_columns, Tile::threads, shared_bytes}, kernel, product,
            static_cast<Index>(tile_rows));
}

template void subtract_product(cudaStream_t, const Product<float>&);
template void subtract_product(cudaStream_t, const Product<double>&);

}  // namespace lufact::gpu::blocked
