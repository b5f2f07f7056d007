// SPDX-License-Identifier: BSD-3-Clause
// The arrays of a matching on the host, and the matching itself by one thread: from the beginning,
// or from where a device left off.
#pragma once
#include <vector>

#include "core/base/buffer.hpp"
#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/notes.hpp"
#include "gpu/match/host_team.hpp"
#include "gpu/match/unit_scales.hpp"

namespace lufact::gpu {

// Limits that are never reached.
MatchRules unlimited_rules();

class HostMatching {
 public:
  // `a` must outlive the object.
  explicit HostMatching(const CsrMatrix& a);

  // For what a device has found: cost, columns, column_of_row and cost_of_row.
  MatchArrays& arrays() noexcept { return arrays_; }
  const MatchCounters& counters() const noexcept { return counters_; }

  // The whole matching; counters().end says how it ended.
  void find(const MatchRules& rules, const HostTeam& team = HostTeam());
  // The same from duals and a matching that leave no entry a length below 0, as they are between
  // phases; counters as they were there.
  void finish(const MatchCounters& counters, const MatchRules& rules,
              const HostTeam& team = HostTeam());
  // Of a perfect matching.
  Matching result(std::vector<Warning>& warnings);

 private:
  nd::Buffer<Units> cost_, cost_of_row_, bid_cost_;
  nd::Buffer<ColumnState> columns_;
  nd::Buffer<RowState> rows_;
  nd::Buffer<Index> column_of_row_, bid_column_, column_before_, up_;
  nd::Buffer<float> spread_dual_;
  nd::Buffer<Word> column_sum_, best_bid_, bid_, label_, best_end_;
  nd::Buffer<Visit> last_visit_;
  nd::Buffer<Item> lists_;
  std::vector<std::int32_t> histogram_;
  MatchCounters counters_{};
  MatchArrays arrays_;
};

}  // namespace lufact::gpu
