// SPDX-License-Identifier: BSD-3-Clause
// Column duals near the optimal ones: scaling of rows and columns of exp(-cost / T) to sums of 1
// (Sinkhorn and Knopp, Pacific J. Math. 21(2), 1967) at falling T (Sharify, Gaubert and Grigori,
// "Solution of the optimal assignment problem by diagonal scaling algorithms", 2011). Sums are of
// integers, so that they do not depend on an order.
#pragma once
#include "gpu/match/logarithms.hpp"
#include "gpu/match/match_state.hpp"

namespace lufact::gpu {

inline constexpr int share_bits = 40;  // a column's sum of 1 is 2^40

// A share of a row in the sum of its column. Small shares are many and say little: one in 32 counts
// 32 times, those below 2^-20 not at all.
LUFACT_BOTH_SIDES inline void add_share(Word& sum, float share, Offset p) {
  constexpr float least = 1.0F / (1 << 20), sampled = 1.0F / (1 << 11);
  if (share < least) return;
  if (share < sampled) {
    if ((static_cast<std::uint32_t>(p) * 2654435761U) >> 27 != 0) return;
    share *= 32;
  }
  add_to(sum, static_cast<Word>(share * static_cast<float>(Word{1} << share_bits)));
}

// The shares of a row whose sum is 1.
template <class Lanes>
LUFACT_BOTH_SIDES void spread_row(const MatchArrays& m, Index row, float inverse_temperature,
                                  const Lanes& lanes) {
  constexpr float powers = 1.0F / units_per_power, absent = -1e30F;
  constexpr float one = static_cast<float>(std::uint32_t{1} << 31);
  const Offset begin = m.row_ptr[row] + lanes.rank(), end = m.row_ptr[row + 1];
  const auto exponent = [&](Offset p) {
    const Units cost = m.cost[p];
    if (cost == no_cost) return absent;
    return (m.spread_dual[m.col_idx[p]] - static_cast<float>(cost) * powers) * inverse_temperature;
  };
  float most = absent;
  for (Offset p = begin; p < end; p += lanes.count()) most = larger(most, exponent(p));
  most = lanes.largest(most);
  if (most == absent) return;
  Word sum = 0;
  for (Offset p = begin; p < end; p += lanes.count()) {
    sum += static_cast<Word>(power_of_two(exponent(p) - most) * one);
  }
  const float share_of_one = one / static_cast<float>(lanes.sum(sum));
  for (Offset p = begin; p < end; p += lanes.count()) {
    add_share(m.column_sum[m.col_idx[p]], power_of_two(exponent(p) - most) * share_of_one, p);
  }
}

// The dual that makes the column's sum 1, as far as it can be told from a sum that may be 0.
LUFACT_BOTH_SIDES inline void settle_column_dual(const MatchArrays& m, Offset column,
                                                 float temperature) {
  constexpr Word least = Word{1} << 16;
  const Word sum = larger(m.column_sum[column], least);
  m.column_sum[column] = 0;
  const std::int32_t logarithm =
      fixed_log2(static_cast<double>(sum)) - share_bits * (1 << log_bits);
  m.spread_dual[column] -= temperature * (static_cast<float>(logarithm) / (1 << log_bits));
}

// Replaces the duals of columns and frees all rows. column_sum is zero.
template <class Team>
LUFACT_BOTH_SIDES void spread_duals(const Team& team, const MatchArrays& m,
                                    const MatchRules& rules) {
  float temperature = 2;
  for (Index step = 0; step < rules.temperatures; ++step, temperature /= 2) {
    for (Index sweep = 0; sweep < rules.sweeps_per_temperature; ++sweep) {
      team.for_all_rows(
          m, [&](Index row, const auto& lanes) { spread_row(m, row, 1 / temperature, lanes); });
      team.sync();
      team.for_each(m.n, [&](Offset column) { settle_column_dual(m, column, temperature); });
      team.sync();
    }
  }
  team.for_each(m.n, [&](Offset k) {
    const float units = m.spread_dual[k] * units_per_power;
    m.columns[k] = {static_cast<Units>(units + (units < 0 ? -0.5F : 0.5F)), -1};
    m.column_of_row[k] = -1;
    m.best_bid[k] = 0;
  });
  if (team.leads()) {
    for (std::int32_t& size : m.counters->list_size) size = 0;
  }
  team.sync();
}

}  // namespace lufact::gpu
