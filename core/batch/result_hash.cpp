// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/result_hash.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "core/base/sha256.hpp"

namespace lufact {

std::string values_sha256(const BatchArrays& arrays, const BatchSample& sample) {
  Sha256 hash;
  for (Offset share = 0; share < sample.size(); ++share) {
    BatchResult result = arrays.result(sample[share]);
    for (double& value : result.values) {
      if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    }
    hash.update(std::span<const double>(result.values));
  }
  return hash.finish();
}

std::string pivots_sha256(const BatchArrays& arrays, const BatchSample& sample) {
  Sha256 hash;
  for (Offset share = 0; share < sample.size(); ++share) {
    hash.update(std::span<const std::int32_t>(arrays.result(sample[share]).pivots));
  }
  return hash.finish();
}

}  // namespace lufact
