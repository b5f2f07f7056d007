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

}  // namespace lufact
