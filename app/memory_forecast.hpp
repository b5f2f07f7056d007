// SPDX-License-Identifier: BSD-3-Clause
// What a matrix will need before it is factored: the exact size of its factors, and the bytes that
// every mode must hold.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/machine.hpp"
#include "core/matrix/facts.hpp"
#include "core/pipeline/catalogue.hpp"

namespace lufact {

struct ModeForecast {
  std::string mode;
  std::uint64_t resident_bytes = 0;  // matrix, pattern, factors, schedule, vectors
  std::optional<bool> fits;          // empty where this machine cannot run the mode anyway
  std::string reason;
};

struct MemoryForecast {
  std::string ordering;
  Offset nnz_lu = 0;
  double fill_ratio = 0;
  std::vector<ModeForecast> modes;
};

// Matches, orders and runs the sequential symbolic stage on the host; the counts are exact for the
// default scaling and ordering.
MemoryForecast forecast_memory(const Catalogue& catalogue, const InputMatrix& input,
                               const Machine& machine);

}  // namespace lufact
