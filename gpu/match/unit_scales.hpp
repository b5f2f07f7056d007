// SPDX-License-Identifier: BSD-3-Clause
// Scales from duals in units.
#pragma once
#include <vector>

#include "core/pipeline/column_products.hpp"
#include "core/pipeline/notes.hpp"
#include "gpu/match/logarithms.hpp"
#include "gpu/match/match_state.hpp"

namespace lufact::gpu {

// 2^(k/64) for k = 0 .. 63, made on the host once so that both sides have the same.
struct FractionPowers {
  double power[units_per_power];
};
FractionPowers fraction_powers();

inline constexpr double smallest_scale = 2.2250738585072014e-308;
inline constexpr double largest_scale = 1.7976931348623157e308;

// 2^(units / 64), clamped to normal doubles; whether it had to be.
struct Scale {
  double value;
  bool clamped;
};
LUFACT_BOTH_SIDES inline Scale scale_of(std::int64_t units, const FractionPowers& powers) {
  const std::int64_t whole = units >> unit_bits;
  if (whole < -1022) return {smallest_scale, true};
  if (whole > 1023) return {largest_scale, true};
  const auto unit = bits_as<double>(static_cast<std::uint64_t>(whole + 1023) << 52);
  return {unit * powers.power[units & (units_per_power - 1)], false};
}

// The logarithm in units of the scale of a matched row, to within one unit.
LUFACT_BOTH_SIDES inline Units row_units(double matched, Units column_dual) {
  const double magnitude = matched < 0 ? -matched : matched;
  return -(fixed_log2(magnitude) >> (log_bits - unit_bits)) - column_dual;
}

// The scale that makes the matched entry 1 to the last bits, where it is in range.
LUFACT_BOTH_SIDES inline Scale row_scale_of(double matched, double column_scale, std::int64_t units,
                                            const FractionPowers& powers) {
  const double magnitude = matched < 0 ? -matched : matched;
  const double scale = 1 / (magnitude * column_scale);
  if (scale >= smallest_scale && scale <= largest_scale) return {scale, false};
  return scale_of(units, powers);
}

// What is added to row logarithms and taken from those of columns, so that scales stay within the
// range of double if they can.
LUFACT_BOTH_SIDES inline Units balancing_shift(const ScaleExtremes& extremes) {
  constexpr Units safe = 990 * units_per_power;
  const Units beyond = larger(larger(extremes.row_high, extremes.column_high),
                              larger(extremes.row_low_negated, extremes.column_low_negated));
  if (beyond < safe) return 0;
  return static_cast<Units>((std::int64_t{extremes.column_high} - extremes.column_low_negated -
                             extremes.row_high + extremes.row_low_negated) /
                            4);
}

// The position of a column in a row that has it.
LUFACT_BOTH_SIDES inline Offset position_in_row(const MatchArrays& m, Index row, Index column) {
  Offset low = m.row_ptr[row], high = m.row_ptr[row + 1] - 1;
  while (low < high) {
    const Offset middle = (low + high) / 2;
    if (m.col_idx[middle] < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

struct ScaleArrays {
  double* row_scale = nullptr;     // n
  double* column_scale = nullptr;  // n
  Index* row_of_column = nullptr;  // n
};

// Scales and the permutation of a perfect matching. Ends with a barrier.
template <class Team>
LUFACT_BOTH_SIDES void find_scales(const Team& team, const MatchArrays& m,
                                   const FractionPowers& powers, const ScaleArrays& scales) {
  MatchCounters& counters = *m.counters;
  if (team.leads()) counters.extremes = no_extremes();
  team.sync();
  ScaleExtremes own = no_extremes();
  team.for_each(m.n, [&](Offset k) {
    const auto row = static_cast<Index>(k);
    const Index column = m.column_of_row[row];
    const Units of_column = m.columns[column].dual;
    const Offset p = position_in_row(m, row, column);
    const Units of_row = row_units(m.values[p], of_column);
    own.row_high = larger(own.row_high, of_row);
    own.row_low_negated = larger(own.row_low_negated, -of_row);
    own.column_high = larger(own.column_high, of_column);
    own.column_low_negated = larger(own.column_low_negated, -of_column);
  });
  team.raise(counters.extremes.row_high, own.row_high);
  team.raise(counters.extremes.row_low_negated, own.row_low_negated);
  team.raise(counters.extremes.column_high, own.column_high);
  team.raise(counters.extremes.column_low_negated, own.column_low_negated);
  team.sync();
  const Units shift = balancing_shift(counters.extremes);
  team.for_each(m.n, [&](Offset k) {
    const auto row = static_cast<Index>(k);
    const Index column = m.column_of_row[row];
    const Units of_column = m.columns[column].dual;
    const double value = m.values[position_in_row(m, row, column)];
    const Scale column_scale = scale_of(std::int64_t{of_column} - shift, powers);
    const Scale row_scale = row_scale_of(value, column_scale.value,
                                         std::int64_t{row_units(value, of_column)} + shift, powers);
    scales.column_scale[column] = column_scale.value;
    scales.row_scale[row] = row_scale.value;
    scales.row_of_column[column] = row;
    const int clamped = (column_scale.clamped ? 1 : 0) + (row_scale.clamped ? 1 : 0);
    if (clamped > 0) add_to(counters.clamped, clamped);
  });
  team.sync();
}

// The stage's product, and the warning of scales that had to be clamped.
Matching matching_of(std::vector<Index> row_of_column, std::vector<Index> column_of_row,
                     std::vector<double> row_scale, std::vector<double> column_scale,
                     Offset clamped, std::vector<Warning>& warnings);

}  // namespace lufact::gpu
