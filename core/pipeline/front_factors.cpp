// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "core/base/sha256.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {

static_assert(std::endian::native == std::endian::little);

std::string FrontFactors::values_sha256() const {
  const std::vector<double> values = stored_values();
  Sha256 hash;
  hash.update(std::span<const double>(values));
  hash.update(std::span<const std::uint8_t>(row_sources()));
  return hash.finish();
}

std::vector<Offset> reciprocal_places(std::span<const FrontShape> shapes, Index n) {
  std::vector<Offset> places(at(n));
  for (const FrontShape& shape : shapes) {
    for (Index p = 0; p < shape.pivots; ++p) {
      Offset& place = places[at(shape.first + p)];
      if (shape.small()) {
        place = shape.factors + Offset{p} * (shape.pivots + shape.rows + 1);
      } else {
        const Index tile = p / shape.pivot_width, row = p % shape.pivot_width;
        place = shape.upper_place(tile, tile) + Offset{row} * (shape.stored_rows(tile) + 1);
      }
    }
  }
  return places;
}

}  // namespace lufact
