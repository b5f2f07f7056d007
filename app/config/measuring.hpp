// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "app/config/common_config.hpp"
#include "app/workload/variant_plan.hpp"

namespace lufact {

// What the options that every workload has say of how a variant is measured.
inline Measuring measuring_of(const CommonConfig& config) {
  return {.warmup = config.warmup,
          .repetitions = config.effective_repetitions(),
          .min_time_s = config.min_time_s,
          .max_noise_percent = config.max_noise_percent,
          .max_repetitions = config.effective_max_repetitions(),
          .timeout_s = config.timeout_s,
          .host_memory_limit = config.host_memory_limit};
}

}  // namespace lufact
