// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "core/dense/cpu/padded_columns.hpp"
#include "core/dense/cpu/row_runs.hpp"
#include "core/fronts/numeric/dense_kernels.hpp"
#include "core/fronts/numeric/thread_team.hpp"

namespace lufact {

// The exchanges of rows of a strip in the other columns of its panel. Threads that took columns
// each would fetch nearly every cache line of the panel from those whose rows they are, one by one,
// and these would fetch them back. Here each thread reads and writes its own rows alone, and what
// moves goes through a buffer of whole rows.
template <class T>
class StripExchange {
 public:
  // For panels of up to `widest` columns.
  explicit StripExchange(Index widest);

  // Columns [begin, end) without the strip's own; row first + k changes places with pivots[k], in
  // turn. All threads of `team` call it, each with `rows` of the whole team. One wait is within,
  // none follows: what other threads' rows have become is there behind the next one.
  void apply(const ThreadTeam& team, const PaddedColumns<T>& a, const RowRuns& rows, Index first,
             std::span<const Index> pivots, Index begin, Index end);

 private:
  static constexpr Index most_rows = 2 * strip_columns;  // of the strip's numbers, and pivots
  T* in_buffer(Index k) { return buffer_.data() + Offset{k} * widest_; }

  Index widest_;
  std::vector<T> buffer_;  // rows as they were
};

}  // namespace lufact
