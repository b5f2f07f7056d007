// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gpu/fronts/numeric/product_way.hpp"

namespace lufact::gpu {
namespace {

FrontShape shape_of(Index pivot_tiles, Index tiles, Index width) {
  FrontShape shape;
  shape.pivot_tiles = pivot_tiles;
  shape.tiles = tiles;
  shape.pivot_width = width;
  return shape;
}

double counted_flops(const FrontShape& shape) {
  double products = 0;
  for (Index i = 0; i < shape.tiles; ++i) {
    for (Index j = 0; j < shape.tiles; ++j) {
      products += static_cast<double>(std::min({i, j, shape.pivot_tiles}));
    }
  }
  return products * 2.0 * tile_order * tile_order * shape.pivot_width;
}

TEST(ProductWay, FlopsAreThoseOfTheProductsOfEachTile) {
  std::vector<FrontShape> shapes;
  double counted = 0;
  for (const Index pivot_tiles : {0, 1, 2, 5}) {
    for (const Index row_tiles : {0, 1, 3, 8}) {
      shapes.push_back(shape_of(pivot_tiles, pivot_tiles + row_tiles, 48));
      counted += counted_flops(shapes.back());
      EXPECT_DOUBLE_EQ(product_flops({&shapes.back(), 1}), counted_flops(shapes.back()))
          << pivot_tiles << " tiles of pivots, " << row_tiles << " of rows";
    }
  }
  EXPECT_DOUBLE_EQ(product_flops(shapes), counted);
}

// A front of 2,000 rows takes 5 Gflop, one of 8,000 takes 340.
TEST(ProductWay, LargeFrontsTakeTheRing) {
  EXPECT_EQ(product_way({}), ProductWay::panels);
  const FrontShape small = shape_of(32, 32, tile_order), large = shape_of(125, 125, tile_order);
  EXPECT_EQ(product_way({&small, 1}), ProductWay::panels);
  EXPECT_EQ(product_way({&large, 1}), ProductWay::ring);
}

}  // namespace
}  // namespace lufact::gpu
