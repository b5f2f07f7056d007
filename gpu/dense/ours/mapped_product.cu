// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/mapped_product.hpp"
#include "gpu/dense/ours/mapped_target.cuh"

namespace lufact::gpu::blocked {
namespace {

using Tile = MappedTile<64>;

// From one tile for each multiprocessor of an H200 on; fewer are left to the smaller tiles of the
// other kernel, as are products that end before a ring of panels has filled.
constexpr Offset least_tiles = 132;
constexpr Index least_depth = 2 * Tile::depth;

// Panels before the last when the target is asked for: about as long as memory takes to answer.
constexpr Index panels_of_prefetch = 4;

struct TileGrid {
  Index rows, columns;

  // Tiles follow each other down the columns of a band of tile rows, so that those at work at one
  // time form about a square, whose factors the second-level cache holds.
  __device__ int2 place(Index number) const {
    constexpr Index band_rows = 16;
    const Index band = number / (band_rows * columns) * band_rows;
    const Index height = min(rows - band, band_rows), within = number % (band_rows * columns);
    return {band + within % height, within / height};
  }
};

__device__ void subtract_tile(PanelRing<Tile>& ring, const ProductMaps& maps,
                              const Product<double>& product, Index row, Index column) {
  const Index panels = (product.depth + Tile::depth - 1) / Tile::depth;
  const MappedLane<Tile> lane;
  ring.open(lane, maps, row, column, panels);
  const PanelReader<Tile> reader(lane);
  const MappedTarget<Tile> target(product, row, column);
  MappedSums<Tile> sums;
  sums.clear();
  const MappedPanel<Tile>* read = &ring.wait(0);
  sums.load_first(reader, *read);
#pragma unroll 1
  for (Index panel = 0; panel < panels; ++panel) {
    sums.add_first_columns(reader, *read);
    ring.release(lane, panel);
    ring.refill(lane, maps, row, column, panel, panels);
    if (panel == max(panels - panels_of_prefetch, 0)) target.prefetch();
    // The last panel is read again in place of one behind it: nothing is copied over it.
    read = &ring.wait(min(panel + 1, panels - 1));
    sums.add_last_column(reader, *read);
  }
  target.subtract(lane, sums);
}

__global__ void __launch_bounds__(Tile::threads, Tile::blocks_per_multiprocessor)
    mapped_product_kernel(const __grid_constant__ ProductMaps maps,
                          const __grid_constant__ Product<double> product, TileGrid grid) {
  extern __shared__ __align__(1024) char memory[];
  const int2 place = grid.place(static_cast<Index>(blockIdx.x));
  if constexpr (has_copy_unit) {
    subtract_tile(*reinterpret_cast<PanelRing<Tile>*>(memory), maps, product, place.x * Tile::rows,
                  place.y * Tile::columns);
  }
}

// Whether the code compiled for this device is that of the kernel.
bool card_has_kernel() {
  static const bool able = [] {
    cudaFuncAttributes attributes{};
    LUFACT_CUDA(cudaFuncGetAttributes(&attributes, mapped_product_kernel));
    return attributes.ptxVersion >= 90;
  }();
  return able;
}

MappedMatrix left_of(const Product<double>& product) {
  return {product.left, product.ld_left, product.rows, product.depth};
}
MappedMatrix right_of(const Product<double>& product) {
  return {product.right, product.ld_right, product.depth, product.columns};
}

}  // namespace

bool suits_tensor_maps(const Product<double>& product) {
  const Offset tiles =
      ceil_div(product.rows, Tile::rows) * ceil_div(product.columns, Tile::columns);
  const bool pays = tiles >= least_tiles && product.depth >= least_depth &&
                    product.rows >= Tile::rows && product.columns >= Tile::columns;
  return pays && can_be_mapped(left_of(product)) && can_be_mapped(right_of(product)) &&
         card_has_kernel();
}

void subtract_mapped_product(cudaStream_t stream, const Product<double>& product) {
  constexpr std::size_t shared_bytes = sizeof(PanelRing<Tile>);
  LUFACT_CUDA(cudaFuncSetAttribute(mapped_product_kernel,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes)));
  const ProductMaps maps{tensor_map(left_of(product), Tile::depth),
                         tensor_map(right_of(product), Tile::columns)};
  const TileGrid grid{static_cast<Index>(ceil_div(product.rows, Tile::rows)),
                      static_cast<Index>(ceil_div(product.columns, Tile::columns))};
  launch_on(stream, {Offset{grid.rows} * grid.columns, Tile::threads, shared_bytes},
            mapped_product_kernel, maps, product, grid);
}

}  // namespace lufact::gpu::blocked
