// SPDX-License-Identifier: BSD-3-Clause
// A block of columns over all rows that are left, eliminated by a team of threads together.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/array/array_problem.hpp"
#include "core/fronts/numeric/dense_kernels.hpp"
#include "core/fronts/numeric/thread_team.hpp"

namespace lufact {

// A matrix by columns whose rows are padded with zeros to a multiple of row_unit.
template <class T>
struct PaddedColumns {
  T* entries = nullptr;
  Offset stride = 0;
  Index rows = 0, padded_rows = 0, columns = 0;

  T& operator()(Index i, Index j) const noexcept { return entries[Offset{j} * stride + i]; }
};

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

// Eliminates columns eight at a time, one after the other with the threads sharing the rows, and
// halves of what is wider one after the other, the right one behind a product (recursive LU;
// Toledo, SIAM J. Matrix Anal. Appl. 18, 1997). The largest candidate, the first of equal ones, is
// the pivot; rows are exchanged within the panel alone.
template <class T>
class LuPanel {
 public:
  // Of one matrix after the other; `widest`: columns of the widest panel, `pivots`: those of the
  // whole matrix, which outlive this object.
  LuPanel(ArrayPivoting pivoting, Index widest, int threads, std::span<std::int32_t> pivots);

  // Columns [first, first + width) from row `first` on, a multiple of strip_columns; all threads of
  // `team` call it. Where pivoting, pivots[k] becomes the row, from 1, that was exchanged with row
  // k + 1. `info` becomes the first k + 1 with a zero pivot where it was 0. Both are written by the
  // leader; the last step is a barrier.
  void eliminate(const ThreadTeam& team, const PaddedColumns<T>& a, Index first, Index width,
                 std::int32_t& info);

 private:
  // A candidate and the entries of its row in the strip.
  struct alignas(64) Candidate {
    T size = 0;
    Index row = 0;
    T entries[strip_columns] = {};
  };
  // What the threads tell each other of a column; two of them, so that one wait a column is enough.
  struct Search {
    std::vector<Candidate> candidates;  // one a thread
    T row[strip_columns] = {};          // of the column's own number
  };

  void eliminate_strip(const ThreadTeam& team, const PaddedColumns<T>& a, Index first, Index width,
                       std::int32_t& info);
  void eliminate_strip_with_exchanges(const ThreadTeam& team, const PaddedColumns<T>& a,
                                      Index first, Index width, std::int32_t& info);
  Candidate own_candidate(const ThreadTeam& team, const PaddedColumns<T>& a, Index first,
                          Index k) const;
  const Candidate& chosen(const ThreadTeam& team, const Search& search) const;
  void join_halves(const ThreadTeam& team, const PaddedColumns<T>& a, Index first, Index left,
                   Index right);

  ArrayPivoting pivoting_;
  Index widest_;
  std::span<std::int32_t> pivots_;
  std::array<Search, 2> searches_;
  std::vector<T> upper_;  // rows of U beside a half: upper[k * widest + j]
  T strip_upper_[strip_columns * diagonal_block] = {};
  T inverse_[strip_columns] = {};
  bool by_division_ = false;  // a pivot of this strip has no reciprocal
};

}  // namespace lufact
