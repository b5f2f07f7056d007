// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/common_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace lufact {

double CommonConfig::effective_threshold() const {
  return threshold.value_or(precision == Precision::float64 ? 1e-12 : 1e-10);
}

int CommonConfig::effective_repetitions() const {
  return adapts_repetitions() ? std::max(repetitions, fewest_adaptive_repetitions) : repetitions;
}

int CommonConfig::effective_max_repetitions() const {
  return max_repetitions.value_or(std::max(default_max_repetitions, effective_repetitions()));
}

void check_repetitions(const CommonConfig& config) {
  if (!config.max_repetitions) return;
  if (!config.adapts_repetitions()) {
    throw UsageError(
        "--max-repetitions limits --min-time and --max-noise; alone, give --repetitions");
  }
  if (*config.max_repetitions < config.effective_repetitions()) {
    throw UsageError(fmt::format(
        "--max-repetitions {} is below the {} that are always taken; accepted: {} or more",
        *config.max_repetitions, config.effective_repetitions(), config.effective_repetitions()));
  }
}

}  // namespace lufact
