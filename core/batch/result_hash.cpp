// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/result_hash.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "core/base/sha256.hpp"

namespace lufact {

std::string values_sha256(const BatchArrays& arrays, const BatchSample& sample) {
  Sha256 hash;
  for_results(
      arrays, sample.size(), [&](Offset share) { return sample[share]; },
      [&](BatchResult& result) {
        for (double& value : result.values) {
          if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
        }
        hash.update(std::span<const double>(result.values));
      });
  return hash.finish();
}

std::string pivots_sha256(const BatchArrays& arrays, const BatchSample& sample) {
  Sha256 hash;
  for_results(
      arrays, sample.size(), [&](Offset share) { return sample[share]; },
      [&](const BatchResult& result) {
        hash.update(std::span<const std::int32_t>(result.pivots));
      });
  return hash.finish();
}

}  // namespace lufact
