// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dense/cpu/padded_columns.hpp"
#include "core/dense/cpu/row_runs.hpp"
#include "core/fronts/numeric/dense_kernels.hpp"
#include "core/fronts/numeric/thread_team.hpp"

namespace lufact {

// A few columns of a panel that a team eliminates with partial pivoting, one after the other: the
// largest candidate, the first of equal ones, is the pivot, and rows are exchanged in these columns
// alone. A thread goes over its rows once a column: it brings the column up to date with those
// before it and looks for the largest entry on the way. Its candidate is a message to every other
// thread, which waits for as many messages as there are threads; each keeps the rows of the strip's
// own numbers by itself, so that one message a column is all that they have to tell each other
// (Dongarra, Faverge, Ltaief, Luszczek, "Achieving numerical accuracy and high performance using
// recursive tile LU factorization with partial pivoting", 2014, has the search shared like that).
template <class T>
class PivotedStrip {
 public:
  explicit PivotedStrip(int threads);

  // Called by one thread before the first strip of a matrix; no thread may be in eliminate().
  void restart();

  // Eliminates columns [first, first + width) of `a` from row `first` on, width at most
  // strip_columns. All threads of `team` call it, each with `rows` of the whole team. pivots[k]
  // becomes the row, from 0, that was exchanged with row first + k, for every thread by itself.
  // Returns the first k + 1 whose pivot is zero, or 0. No wait follows the last column.
  std::int32_t eliminate(const ThreadTeam& team, const PaddedColumns<T>& a, const RowRuns& rows,
                         Index first, std::span<Index> pivots);

 private:
  // A thread's best row and the entries of it.
  struct Candidate {
    alignas(64) std::atomic<std::uint32_t> column{0};  // from 1, of which this is a candidate
    Index row = 0;
    T size = 0;  // 0: there is none
    alignas(64) T entries[strip_columns] = {};
  };
  struct Share;
  class Top;

  void offer(const ThreadTeam& team, const Share& own, Index k, T factor, const T* above);
  std::span<const Candidate> await_offers(const ThreadTeam& team, Index column) const;
  Index take_pivot(const ThreadTeam& team, const Share& own, Index k,
                   std::span<const Candidate> offers, Top& top) const;

  std::array<std::vector<Candidate>, 2> candidates_;  // of odd and even columns, one a thread
};

}  // namespace lufact
