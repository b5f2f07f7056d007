// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/match/host_matching.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gpu/match/phases.hpp"

namespace lufact::gpu {

MatchRules unlimited_rules() {
  MatchRules rules;
  rules.leaves_equal_costs = false;
  rules.thin_rounds = rules.rounds = std::numeric_limits<int>::max();
  return rules;
}

HostMatching::HostMatching(const CsrMatrix& a)
    : cost_(a.pattern.nnz()),
      cost_of_row_(a.pattern.n_rows),
      bid_cost_(a.pattern.n_rows),
      columns_(a.pattern.n_rows),
      rows_(a.pattern.n_rows),
      column_of_row_(a.pattern.n_rows),
      bid_column_(a.pattern.n_rows),
      column_before_(a.pattern.n_rows),
      up_(a.pattern.n_rows),
      spread_dual_(a.pattern.n_rows),
      column_sum_(a.pattern.n_rows),
      best_bid_(a.pattern.n_rows),
      bid_(a.pattern.n_rows),
      label_(a.pattern.n_rows),
      best_end_(a.pattern.n_rows),
      last_visit_(a.pattern.n_rows),
      lists_(3 * most_items(a.pattern.n_rows, a.pattern.nnz())),
      histogram_(2 * DistanceBuckets::count) {
  const Offset items = most_items(a.pattern.n_rows, a.pattern.nnz());
  arrays_ = {.n = a.pattern.n_rows,
             .shape = LabelShape(a.pattern.n_rows),
             .row_ptr = a.pattern.row_ptr.data(),
             .col_idx = a.pattern.col_idx.data(),
             .values = a.values.data(),
             .cost = cost_.begin(),
             .columns = columns_.begin(),
             .column_of_row = column_of_row_.begin(),
             .cost_of_row = cost_of_row_.begin(),
             .spread_dual = spread_dual_.begin(),
             .column_sum = column_sum_.begin(),
             .best_bid = best_bid_.begin(),
             .bid = bid_.begin(),
             .bid_column = bid_column_.begin(),
             .bid_cost = bid_cost_.begin(),
             .rows = rows_.begin(),
             .label = label_.begin(),
             .best_end = best_end_.begin(),
             .column_before = column_before_.begin(),
             .up = up_.begin(),
             .last_visit = last_visit_.begin(),
             .list = {lists_.begin(), lists_.begin() + items, lists_.begin() + 2 * items},
             .histogram = histogram_.data(),
             .counters = &counters_};
}

void HostMatching::find(const MatchRules& rules, const HostTeam& team) {
  counters_ = {};
  find_matching(team, arrays_, rules);
}

void HostMatching::finish(const MatchCounters& counters, const MatchRules& rules,
                          const HostTeam& team) {
  counters_ = counters;
  counters_.end = MatchEnd::running;
  std::ranges::fill(label_, unreached);
  std::ranges::fill(last_visit_, no_visit);
  Phases<HostTeam>(team, arrays_, rules).run();
}

Matching HostMatching::result(std::vector<Warning>& warnings) {
  const std::size_t n = at(arrays_.n);
  std::vector<double> row_scale(n), column_scale(n);
  std::vector<Index> row_of_column(n);
  find_scales(HostTeam(), arrays_, fraction_powers(),
              {row_scale.data(), column_scale.data(), row_of_column.data()});
  std::vector<Index> column_of_row(column_of_row_.begin(), column_of_row_.end());
  return matching_of(std::move(row_of_column), std::move(column_of_row), std::move(row_scale),
                     std::move(column_scale), counters_.clamped, warnings);
}

}  // namespace lufact::gpu
