// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/column_factors.hpp"

#include <bit>

#include "core/base/sha256.hpp"

namespace lufact {

static_assert(std::endian::native == std::endian::little);

std::string ColumnFactors::values_sha256() const {
  const std::vector<double> values = values_by_row();
  Sha256 hash;
  hash.update(std::span<const double>(values));
  return hash.finish();
}

}  // namespace lufact
