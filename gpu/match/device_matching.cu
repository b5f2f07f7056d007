// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "gpu/components/carver.hpp"
#include "gpu/match/device_matching.hpp"
#include "gpu/match/grid_team.cuh"
#include "gpu/match/phases.hpp"

namespace lufact::gpu {
namespace {

__global__ void __launch_bounds__(match_threads, 1)
    match_rows(const __grid_constant__ MatchArrays m, const __grid_constant__ MatchRules rules,
               const __grid_constant__ FractionPowers powers,
               const __grid_constant__ ScaleArrays scales, MatchReport* report) {
  __shared__ MatchStorage storage;
  const GridTeam team(storage, rules.most_of_warp);
  find_matching(team, m, rules);
  const MatchCounters& counters = *m.counters;
  if (counters.end == MatchEnd::perfect) find_scales(team, m, powers, scales);
  if (!team.leads()) return;
  *report = {
      counters.end,     counters.free_rows, counters.free_after_start, counters.free_after_bidding,
      counters.spread,  counters.phases,    counters.rounds,           counters.thin_rounds,
      counters.lowered, counters.clamped};
}

struct DeviceArrays {
  Offset* row_ptr = nullptr;
  Index* col_idx = nullptr;
  double* values = nullptr;
  MatchArrays match;
  ScaleArrays scales;
};

void lay_out(Carver& carver, Index n, Offset nnz, DeviceArrays& arrays) {
  arrays.row_ptr = carver.take<Offset>(Offset{n} + 1);
  arrays.col_idx = carver.take<Index>(nnz);
  arrays.values = carver.take<double>(nnz);
  MatchArrays& m = arrays.match;
  m.cost = carver.take<Units>(nnz);
  m.columns = carver.take<ColumnState>(n);
  m.rows = carver.take<RowState>(n);
  for (Index** const labels : {&m.column_of_row, &m.bid_column, &m.column_before, &m.up}) {
    *labels = carver.take<Index>(n);
  }
  for (Units** const units : {&m.cost_of_row, &m.bid_cost}) *units = carver.take<Units>(n);
  m.spread_dual = carver.take<float>(n);
  for (Word** const words : {&m.column_sum, &m.best_bid, &m.bid, &m.label, &m.best_end}) {
    *words = carver.take<Word>(n);
  }
  m.last_visit = carver.take<Visit>(n);
  for (Item*& list : m.list) list = carver.take<Item>(most_items(n, nnz));
  m.histogram = carver.take<std::int32_t>(2 * DistanceBuckets::count);
  m.last_round = carver.take<std::int32_t>(n);
  m.block_words = carver.take<Word>(sizeof(GridLanes<match_threads>::Words) / sizeof(Word));
  m.counters = carver.take<MatchCounters>(1);
  arrays.scales.row_scale = carver.take<double>(n);
  arrays.scales.column_scale = carver.take<double>(n);
  arrays.scales.row_of_column = carver.take<Index>(n);
}

Offset longest_row(const CsrPattern& pattern) {
  Offset longest = 0;
  for (Index i = 0; i < pattern.n_rows; ++i) {
    longest = std::max(longest, pattern.row_ptr[at(i) + 1] - pattern.row_ptr[at(i)]);
  }
  return longest;
}

// Longer ones before shorter ones, equal ones by their numbers.
GridRows rows_for_grid(const CsrPattern& pattern, Offset most_of_block) {
  const auto length = [&](Index i) { return pattern.row_ptr[at(i) + 1] - pattern.row_ptr[at(i)]; };
  std::vector<Index> longer;
  for (Index i = 0; i < pattern.n_rows; ++i) {
    if (length(i) > most_of_block) longer.push_back(i);
  }
  std::ranges::stable_sort(longer, std::ranges::greater{}, length);
  GridRows result;
  result.count = std::min<int>(GridRows::most, static_cast<int>(longer.size()));
  std::copy_n(longer.begin(), result.count, result.row);
  return result;
}

template <class T>
void download(DeviceSession& session, T* to, const T* from, Offset count) {
  if (count > 0) session.copy_to_host(to, from, checked_bytes(count, sizeof(T)));
}

}  // namespace

std::uint64_t DeviceMatching::device_bytes(Index n, Offset nnz) {
  Carver sizes;
  DeviceArrays arrays;
  lay_out(sizes, n, nnz, arrays);
  return static_cast<std::uint64_t>(sizes.used());
}

DeviceMatching::DeviceMatching(DeviceSession& session, const CsrMatrix& a)
    : session_(session), a_(a) {
  const CsrPattern& pattern = a.pattern;
  DeviceArrays arrays;
  block_ = carve(session, "the matching of rows to columns",
                 [&](Carver& carver) { lay_out(carver, pattern.n_rows, pattern.nnz(), arrays); });
  session.copy_to_device(arrays.row_ptr, pattern.row_ptr.data(),
                         pattern.row_ptr.size() * sizeof(Offset));
  if (pattern.nnz() > 0) {
    session.copy_to_device(arrays.col_idx, pattern.col_idx.data(),
                           pattern.col_idx.size() * sizeof(Index));
    session.copy_to_device(arrays.values, a.values.data(), a.values.size() * sizeof(double));
  }
  arrays_ = arrays.match;
  arrays_.n = pattern.n_rows;
  arrays_.longest_row = longest_row(pattern);
  arrays_.shape = LabelShape(pattern.n_rows);
  arrays_.row_ptr = arrays.row_ptr;
  arrays_.col_idx = arrays.col_idx;
  arrays_.values = arrays.values;
  scales_ = arrays.scales;
  LUFACT_CUDA(cudaMemsetAsync(arrays_.counters, 0, sizeof(MatchCounters), session.stream()));
  LUFACT_CUDA(cudaMemsetAsync(arrays_.last_round, 0, checked_bytes(arrays_.n, sizeof(std::int32_t)),
                              session.stream()));
}

MatchReport DeviceMatching::find(const MatchRules& rules) {
  const Offset most_of_block = std::max(rules.most_of_warp, rules.most_of_block);
  if (arrays_.longest_row > most_of_block) {
    arrays_.grid_rows = rows_for_grid(a_.pattern, most_of_block);
  }
  constexpr Offset lanes_a_row = 8;
  const Offset blocks = std::clamp(
      ceil_div(arrays_.n * lanes_a_row, match_threads), Offset{1},
      std::min(Offset{session_.sm_count()}, Offset{GridLanes<match_threads>::most_blocks}));
  launch_cooperative(session_, {blocks, match_threads}, match_rows, arrays_, rules,
                     fraction_powers(), scales_, control_place<MatchReport>(session_));
  // While the device searches: setting large arrays to zero takes as long as copying into them.
  const std::size_t n = at(arrays_.n);
  host_ = {std::vector<double>(n), std::vector<double>(n), std::vector<Index>(n),
           std::vector<Index>(n)};
  report_ = take_value<MatchReport>(session_);
  return report_;
}

Matching DeviceMatching::result(std::vector<Warning>& warnings) {
  download(session_, host_.row_scale.data(), scales_.row_scale, arrays_.n);
  download(session_, host_.column_scale.data(), scales_.column_scale, arrays_.n);
  download(session_, host_.row_of_column.data(), scales_.row_of_column, arrays_.n);
  download(session_, host_.column_of_row.data(), arrays_.column_of_row, arrays_.n);
  return matching_of(std::move(host_.row_of_column), std::move(host_.column_of_row),
                     std::move(host_.row_scale), std::move(host_.column_scale), report_.clamped,
                     warnings);
}

MatchCounters DeviceMatching::hand_over(const MatchArrays& to) const {
  download(session_, to.cost, arrays_.cost, a_.pattern.nnz());
  download(session_, to.columns, arrays_.columns, arrays_.n);
  download(session_, to.column_of_row, arrays_.column_of_row, arrays_.n);
  download(session_, to.cost_of_row, arrays_.cost_of_row, arrays_.n);
  MatchCounters counters{};
  download(session_, &counters, arrays_.counters, 1);
  return counters;
}

}  // namespace lufact::gpu
