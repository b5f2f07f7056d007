// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/mapped_double_tile.cuh"
#include "gpu/dense/ours/mapped_float_tile.cuh"
#include "gpu/dense/ours/mapped_product.hpp"
#include "gpu/dense/ours/mapped_target.cuh"

namespace lufact::gpu::blocked {
namespace {

template <class T>
struct Choice;
template <>
struct Choice<double> {
  using Tile = MappedDoubleTile;
  using Sums = DoubleSums;
};
template <>
struct Choice<float> {
  using Tile = MappedFloatTile;
  using Sums = FloatSums;
};
template <class T>
using TileOf = typename Choice<T>::Tile;

// One tile for each multiprocessor of an H200; what has fewer, or fewer panels, is left to the
// other kernel, whose tiles are smaller and sooner done.
constexpr Offset least_tiles = 132;
constexpr Index least_panels = 2;

// Panels before the last when the target is asked for: about as long as memory takes to answer.
template <class Tile>
constexpr Index panels_of_prefetch = 64 / Tile::depth;

template <class Tile>
struct TileGrid {
  Index rows, columns;

  // Tiles follow each other down the columns of a band of tile rows, so that those at work at one
  // time form about a square, whose factors the second-level cache holds.
  __device__ int2 place(Index number) const {
    constexpr Index band_rows = 16;
    const Index band = number / (band_rows * columns) * band_rows;
    const Index height = min(rows - band, band_rows), within = number % (band_rows * columns);
    return {(band + within % height) * Tile::rows, within / height * Tile::columns};
  }
};

template <class T, class Tile = TileOf<T>>
__device__ void subtract_tile(PanelRing<Tile>& ring, const ProductMaps& maps,
                              const Product<T>& product, Index row, Index column) {
  const Index panels = (product.depth + Tile::depth - 1) / Tile::depth;
  const MappedLane<Tile> lane;
  ring.open(lane, maps, row, column, panels);
  const MappedTarget<Tile> target(product, row, column);
  typename Choice<T>::Sums sums(lane);
  const MappedPanel<Tile>* read = &ring.wait(0);
  sums.load_first(*read);
#pragma unroll 1
  for (Index panel = 0; panel < panels; ++panel) {
    sums.add_first_steps(*read);
    ring.release(lane, panel);
    ring.refill(lane, maps, row, column, panel, panels);
    if (panel == max(panels - panels_of_prefetch<Tile>, 0)) target.prefetch();
    // The last panel is read again in place of one behind it: nothing is copied over it.
    read = &ring.wait(min(panel + 1, panels - 1));
    sums.add_last_step(*read);
  }
  target.subtract(lane, sums);
}

template <class T, class Tile = TileOf<T>>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks_per_multiprocessor)
    mapped_product_kernel(const __grid_constant__ ProductMaps maps,
                          const __grid_constant__ Product<T> product, TileGrid<Tile> grid) {
  extern __shared__ __align__(1024) char memory[];
  const int2 place = grid.place(static_cast<Index>(blockIdx.x));
  if constexpr (has_copy_unit) {
    subtract_tile(*reinterpret_cast<PanelRing<Tile>*>(memory), maps, product, place.x, place.y);
  }
}

template <class T>
MappedMatrix<T> left_of(const Product<T>& product) {
  return {product.left, product.ld_left, product.rows, product.depth};
}
template <class T>
MappedMatrix<T> right_of(const Product<T>& product) {
  return {product.right, product.ld_right, product.depth, product.columns};
}

template <class T>
TileGrid<TileOf<T>> grid_of(const Product<T>& product) {
  return {static_cast<Index>(ceil_div(product.rows, TileOf<T>::rows)),
          static_cast<Index>(ceil_div(product.columns, TileOf<T>::columns))};
}

}  // namespace

template <class T>
bool suits_tensor_maps(const Product<T>& product) {
  using Tile = TileOf<T>;
  const TileGrid<Tile> grid = grid_of(product);
  const bool pays = Offset{grid.rows} * grid.columns >= least_tiles &&
                    product.depth >= least_panels * Tile::depth && product.rows >= Tile::rows &&
                    product.columns >= Tile::columns;
  return pays && can_be_mapped(left_of(product)) && can_be_mapped(right_of(product)) &&
         has_code_for_9_0(reinterpret_cast<const void*>(mapped_product_kernel<T>));
}

template <class T>
void subtract_mapped_product(cudaStream_t stream, const Product<T>& product) {
  using Tile = TileOf<T>;
  const auto kernel = mapped_product_kernel<T>;
  constexpr std::size_t shared_bytes = sizeof(PanelRing<Tile>);
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes)));
  const ProductMaps maps{tensor_map(left_of(product), MappedPanel<Tile>::left_box),
                         tensor_map(right_of(product), MappedPanel<Tile>::right_box)};
  const TileGrid<Tile> grid = grid_of(product);
  launch_on(stream, {Offset{grid.rows} * grid.columns, Tile::threads, shared_bytes}, kernel, maps,
            product, grid);
}

#define LUFACT_MAPPED_PRODUCTS_OF(T)                  \
  template bool suits_tensor_maps(const Product<T>&); \
  template void subtract_mapped_product(cudaStream_t, const Product<T>&);
LUFACT_MAPPED_PRODUCTS_OF(float)
LUFACT_MAPPED_PRODUCTS_OF(double)
#undef LUFACT_MAPPED_PRODUCTS_OF

}  // namespace lufact::gpu::blocked
