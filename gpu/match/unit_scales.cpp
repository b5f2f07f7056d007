// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/match/unit_scales.hpp"

#include <cmath>
#include <utility>

#include "core/match/mc64.hpp"

namespace lufact::gpu {

FractionPowers fraction_powers() {
  FractionPowers powers{};
  for (int k = 0; k < units_per_power; ++k) {
    powers.power[k] = std::exp2(static_cast<double>(k) / units_per_power);
  }
  return powers;
}

Matching matching_of(std::vector<Index> row_of_column, std::vector<Index> column_of_row,
                     std::vector<double> row_scale, std::vector<double> column_scale,
                     Offset clamped, std::vector<Warning>& warnings) {
  warn_of_clamped_scales(clamped, warnings);
  const auto n = static_cast<Index>(row_of_column.size());
  return {.rows = Permutation::from_both(std::move(row_of_column), std::move(column_of_row)),
          .row_scale = std::move(row_scale),
          .col_scale = std::move(column_scale),
          .structural_rank = n};
}

}  // namespace lufact::gpu
