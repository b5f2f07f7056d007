// SPDX-License-Identifier: BSD-3-Clause
// The record of many systems with one pattern.
#pragma once
#include <cstdint>
#include <optional>

#include "core/base/types.hpp"

namespace lufact {

// The member whose solution is the worst, by its number from 0; member 0 has the file's values.
struct WorstSystem {
  Offset index = 0;
  std::optional<double> backward_error;  // empty where it is not finite
};

struct SystemsRecord {
  Offset count = 0;                    // systems of a sample
  Offset chunk = 0;                    // systems that are factored and solved at a time
  std::uint64_t bytes_per_system = 0;  // of arrays that every system of a chunk has
  Offset perturbed = 0;                // systems with at least one perturbed pivot
  Offset failed = 0;                   // systems whose backward error is above the threshold
  // Empty where nothing was verified.
  std::optional<WorstSystem> worst;
  // count / (numeric + solve), of the medians over refactorizations, or over repetitions where
  // there are none.
  std::optional<double> systems_per_s;
};

}  // namespace lufact
