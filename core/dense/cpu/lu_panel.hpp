// SPDX-License-Identifier: BSD-3-Clause
// A block of columns over all rows that are left, eliminated by a team of threads together.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/array/array_problem.hpp"
#include "core/dense/cpu/padded_columns.hpp"
#include "core/dense/cpu/pivoted_strip.hpp"
#include "core/dense/cpu/row_runs.hpp"
#include "core/dense/cpu/strip_exchange.hpp"
#include "core/fronts/numeric/dense_kernels.hpp"
#include "core/fronts/numeric/thread_team.hpp"

namespace lufact {

// The rows that steps k from `first` on exchange in columns [begin, end): row k and pivots[k] - 1.
template <class T>
void exchange_rows(const PaddedColumns<T>& a, std::span<const std::int32_t> pivots, Index first,
                   Index last, Index begin, Index end);

// Rows [first, first + width) of columns [begin, end) become U, by the L beside them that has been
// eliminated. `upper` becomes U by rows: upper[k * stride + j] = U(first + k, begin + j), with room
// for a multiple of row_unit columns.
template <class T>
void solve_upper(const PaddedColumns<T>& a, Index first, Index width, Index begin, Index end,
                 T* upper, Offset stride);

// Eliminates columns eight at a time, and halves of what is wider one after the other, the right
// one behind a product (recursive LU; Toledo, SIAM J. Matrix Anal. Appl. 18, 1997), with the
// threads sharing the rows. Rows are exchanged within the panel alone.
template <class T>
class LuPanel {
 public:
  // Of one matrix after the other; `widest`: columns of the widest panel, `pivots`: those of the
  // whole matrix, which outlive this object.
  LuPanel(ArrayPivoting pivoting, Index widest, int threads, std::span<std::int32_t> pivots);

  // Called by one thread before the first panel of a matrix.
  void restart() { pivoted_strip_.restart(); }

  // Columns [first, first + width) from row `first` on, a multiple of strip_columns; all threads of
  // `team` call it. Where pivoting, pivots[k] becomes the row, from 1, that was exchanged with row
  // k + 1. `info` becomes the first k + 1 with a zero pivot where it was 0. Both are written by the
  // leader; the last step is a barrier.
  void eliminate(const ThreadTeam& team, const PaddedColumns<T>& a, Index first, Index width,
                 std::int32_t& info);

 private:
  // A panel and a thread's place in it.
  struct Panel {
    const ThreadTeam& team;
    const PaddedColumns<T>& a;
    Index first, last;
    RowRuns rows;
    std::int32_t& info;

    // Calls body(begin, end) for the thread's rows from `row` on.
    template <class Body>
    void for_own_rows(Index row, const Body& body) const {
      const Index begin = std::max(row, rows.begin(team.rank())), end = rows.end(team.rank());
      if (begin < end) body(begin, end);
    }
    bool has_row(Index row) const { return rows.owner(row) == team.rank(); }
  };

  void eliminate_part(const Panel& panel, Index first, Index width);
  void eliminate_strip(const Panel& panel, Index first, Index width);
  void eliminate_strip_with_exchanges(const Panel& panel, Index first, Index width);
  void join_halves(const Panel& panel, Index first, Index left, Index right);
  void solve_upper_of_right(const Panel& panel, Index first, Index left, Index right);

  ArrayPivoting pivoting_;
  Index widest_;
  std::span<std::int32_t> pivots_;
  PivotedStrip<T> pivoted_strip_;
  StripExchange<T> strip_exchange_;
  std::vector<T> upper_;  // rows of U beside a half: upper[k * widest + j]
  T strip_upper_[strip_columns * diagonal_block] = {};
  T inverse_[strip_columns] = {};
  bool by_division_ = false;  // a pivot of this strip has no reciprocal
};

}  // namespace lufact
