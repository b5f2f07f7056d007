// SPDX-License-Identifier: BSD-3-Clause
// Costs of entries, log2 max_j |a_ij| - log2 |a_ij| in units.
#pragma once
#include "gpu/match/logarithms.hpp"
#include "gpu/match/match_state.hpp"

namespace lufact::gpu {

// The costs of a row, by `lanes` together. Lowers the dual of each column to its least cost.
template <class Lanes>
LUFACT_BOTH_SIDES void find_costs(const MatchArrays& m, Index row, const Lanes& lanes) {
  constexpr std::int32_t absent = -0x7fffffff;
  constexpr double largest_double = 1.7976931348623157e308;
  constexpr int shift = log_bits - unit_bits;
  const Offset begin = m.row_ptr[row] + lanes.rank(), end = m.row_ptr[row + 1];
  std::int32_t largest = absent;
  for (Offset p = begin; p < end; p += lanes.count()) {
    const double value = m.values[p], magnitude = value < 0 ? -value : value;
    const bool finite = magnitude <= largest_double;
    if (!finite) m.counters->bad_values = 1;
    const std::int32_t logarithm = finite && magnitude > 0 ? fixed_log2(magnitude) : absent;
    m.cost[p] = logarithm;
    largest = larger(largest, logarithm);
  }
  largest = lanes.largest(largest);
  Units highest = 0;
  for (Offset p = begin; p < end; p += lanes.count()) {
    const std::int32_t logarithm = m.cost[p];
    if (logarithm == absent) {
      m.cost[p] = no_cost;
      continue;
    }
    const std::int64_t below = std::int64_t{largest} - logarithm;
    const auto units = static_cast<Units>((below + (1 << (shift - 1))) >> shift);
    m.cost[p] = units;
    highest = larger(highest, units);
    Units& dual = m.columns[m.col_idx[p]].dual;
    if (units < current(dual)) lower_to(dual, units);
  }
  if (highest > 0 && current(m.counters->unequal_costs) == 0) m.counters->unequal_costs = 1;
}

}  // namespace lufact::gpu
