// SPDX-License-Identifier: BSD-3-Clause
// Options of a run as the pipeline and the stages see them; the command line fills them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/types.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

enum class Until { order, symbolic, levelize, numeric, solve };
std::string_view to_string(Until until) noexcept;
std::optional<Until> parse_until(std::string_view text) noexcept;

enum class VerifyLevel { residual, full, none };

// Pivots below threshold * ||row_scale B col_scale|| (largest row sum) are replaced.
constexpr double default_pivot_threshold(Precision precision) noexcept {
  return precision == Precision::float64 ? 1e-13 : 1e-6;
}

// What a stage may depend on beside its input.
struct StageOptions {
  Precision precision = Precision::float64;
  double pivot_threshold = 1e-13;
  DependencyRule dependency = DependencyRule::exact;
  bool allow_singular = false;
  std::string permutation_file;  // for ordering `file`
  int symbolic_parts = 2;        // row ranges with a chunk size of their own
  int threads = 1;               // OpenMP threads of host stages
};

}  // namespace lufact
