// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <stdexcept>

#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/lower_tiles.cuh"
#include "gpu/dense/ours/mapped_product.hpp"
#include "gpu/dense/ours/product.hpp"
#include "gpu/dense/ours/product_tiles.cuh"
#include "gpu/dense/ours/shallow_product.hpp"

namespace lufact::gpu::blocked {
namespace {

// Tiles follow each other down a column of tiles, which shares its panels of the right factor.
template <class Tile, int kPiece, class T = typename Tile::Entry>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks_per_multiprocessor)
    product_kernel(const __grid_constant__ Product<T> product, Index tile_rows) {
  extern __shared__ __align__(16) char memory[];
  auto* const stage = reinterpret_cast<ProductPanels<Tile>*>(memory);
  const Index row = static_cast<Index>(blockIdx.x) % tile_rows * Tile::rows;
  const Index column = static_cast<Index>(blockIdx.x) / tile_rows * Tile::columns;
  const int rows = min(product.rows - row, Index{Tile::rows});
  const int columns = min(product.columns - column, Index{Tile::columns});
  const Index panels = (product.depth + panel_depth - 1) / panel_depth;
  const auto copy = [&](Index panel) {
    if (panel < panels) {
      const Index k = panel * panel_depth;
      const int depth = min(product.depth - k, Index{panel_depth});
      ProductPanels<Tile>& to = stage[panel % Tile::stages];
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
    const ProductPanels<Tile>& from = stage[panel % Tile::stages];
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

template <class T>
constexpr int whole_piece = 16 / static_cast<int>(sizeof(T));

template <class T>
bool takes_whole_pieces(const Product<T>& product) {
  return takes_pieces(product.left, product.ld_left, whole_piece<T>) &&
         takes_pieces(product.right, product.ld_right, whole_piece<T>);
}

template <class Tile, int kPiece, class T = typename Tile::Entry>
void launch_product(cudaStream_t stream, const Product<T>& product) {
  constexpr std::size_t shared_bytes = sizeof(ProductPanels<Tile>) * Tile::stages;
  const auto kernel = product_kernel<Tile, kPiece>;
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes)));
  const Offset tile_rows = ceil_div(product.rows, Tile::rows);
  const Offset tile_columns = ceil_div(product.columns, Tile::columns);
  launch_on(stream, {tile_rows * tile_columns, Tile::threads, shared_bytes}, kernel, product,
            static_cast<Index>(tile_rows));
}

template <class Tile, class T = typename Tile::Entry>
void launch_own(cudaStream_t stream, const Product<T>& product) {
  if (takes_whole_pieces(product)) {
    launch_product<Tile, whole_piece<T>>(stream, product);
  } else {
    launch_product<Tile, 1>(stream, product);
  }
}

template <class Fragments>
void launch_lower(cudaStream_t stream, const Product<float>& product) {
  if (!takes_whole_pieces(product)) {
    throw std::invalid_argument("products in lower numbers take factors aligned to 16 bytes");
  }
  launch_product<LowerTile<Fragments>, whole_piece<float>>(stream, product);
}

}  // namespace

template <>
void subtract_product(cudaStream_t stream, const Product<double>& product, ProductNumbers) {
  if (product.rows == 0 || product.columns == 0 || product.depth == 0) return;
  if (is_tall_and_shallow(product)) return subtract_shallow_product(stream, product);
  if (suits_tensor_maps(product)) return subtract_mapped_product(stream, product);
  launch_own<DoubleTile>(stream, product);
}

template <>
void subtract_product(cudaStream_t stream, const Product<float>& product, ProductNumbers numbers) {
  if (product.rows == 0 || product.columns == 0 || product.depth == 0) return;
  switch (numbers) {
    case ProductNumbers::own:
      if (is_tall_and_shallow(product)) return subtract_shallow_product(stream, product);
      if (suits_tensor_maps(product)) return subtract_mapped_product(stream, product);
      return launch_own<FloatTile>(stream, product);
    case ProductNumbers::tf32:
      return launch_lower<Tf32Fragments>(stream, product);
    case ProductNumbers::half:
      return launch_lower<HalfFragments>(stream, product);
    case ProductNumbers::bfloat:
      return launch_lower<BfloatFragments>(stream, product);
  }
}

}  // namespace lufact::gpu::blocked
