// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/numeric/product_way.hpp"

namespace lufact::gpu {
namespace {

// On an H200 the ring takes 0.80 to 0.97 of the time of the numeric step from there on
// (results/README.md, deep-products); for less it was slower in trials on an H100.
constexpr double least_ring_flops = 1e11;

// Tile (i, j) takes min(i, j, pivot tiles) products.
double products_of(const FrontShape& shape) {
  const double pivot_tiles = shape.pivot_tiles, tiles = shape.tiles;
  double products = 0;
  for (double k = 1; k < pivot_tiles; ++k) products += k * (2 * (tiles - k) - 1);
  return products + pivot_tiles * (tiles - pivot_tiles) * (tiles - pivot_tiles);
}

}  // namespace

double product_flops(std::span<const FrontShape> shapes) {
  double flops = 0;
  for (const FrontShape& shape : shapes) {
    flops += products_of(shape) * 2.0 * tile_order * tile_order * shape.pivot_width;
  }
  return flops;
}

ProductWay product_way(std::span<const FrontShape> shapes) {
  return product_flops(shapes) < least_ring_flops ? ProductWay::panels : ProductWay::ring;
}

}  // namespace lufact::gpu
