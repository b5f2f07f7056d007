// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/pattern_values.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"

namespace lufact::matrix_market {

double dominant_off_diagonal(const PatternValueRule& rule, Index row, Index col) noexcept {
  const bool mirror = rule.symmetry != FileSymmetry::general && row < col;
  const auto [i, j] = mirror ? std::pair{col, row} : std::pair{row, col};
  const std::uint64_t bits =
      hash64(rule.seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  const double magnitude = 0.1 + 0.9 * unit_interval(bits);
  const bool negative =
      ((bits & 1U) != 0) != (mirror && rule.symmetry == FileSymmetry::skew_symmetric);
  return negative ? -magnitude : magnitude;
}

void fill_pattern_row(const PatternValueRule& rule, Index row, std::span<const Index> columns,
                      std::span<double> values) noexcept {
  if (rule.kind == PatternValues::ones) {
    const bool skew = rule.symmetry == FileSymmetry::skew_symmetric;
    for (std::size_t k = 0; k < columns.size(); ++k) values[k] = skew && columns[k] > row ? -1 : 1;
    return;
  }
  double magnitudes = 0;
  std::size_t diagonal = columns.size();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k] == row) {
      diagonal = k;
      continue;
    }
    values[k] = dominant_off_diagonal(rule, row, columns[k]);
    magnitudes += std::fabs(values[k]);
  }
  if (diagonal < columns.size()) values[diagonal] = 1 + magnitudes;
}

}  // namespace lufact::matrix_market
