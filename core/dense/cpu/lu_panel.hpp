// SPDX-License-Identifier: BSD-3-Clause
// A block of columns over all rows that are left, eliminated by all threads of a team together.
#pragma once
#include <cstdint>
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

// Eliminates columns eight at a time: in a strip of eight, one after the other with the threads
// sharing the rows; the columns behind them in the panel are then updated by a product. The largest
// candidate, the first of equal ones, is the pivot; rows are exchanged within the panel alone.
template <class T>
class LuPanel {
 public:
  // Of one matrix after the other; `widest`: columns of the widest panel.
  LuPanel(ArrayPivoting pivoting, Index widest, int threads);

  // Columns [first, first + width) from row `first` on; all threads of `team` call it. Where
  // pivoting, pivots[k] becomes the row, from 1, that was exchanged with row k + 1. `info` becomes
  // the first k + 1 with a zero pivot where it was 0. Both are written by the leader; the last step
  // is a barrier.
  void eliminate(const ThreadTeam& team, const PaddedColumns<T>& a, Index first, Index width,
                 std::int32_t* pivots, std::int32_t& info);

 private:
  struct alignas(64) Candidate {
    T size = -1;
    Index row = 0;
  };

  void eliminate_strip(const ThreadTeam& team, const PaddedColumns<T>& a, Index first, Index width,
                       std::int32_t& info);
  void eliminate_strip_with_exchanges(const ThreadTeam& team, const PaddedColumns<T>& a,
                                      Index first, Index width, std::int32_t* pivots,
                                      std::int32_t& info);
  Candidate own_candidate(const ThreadTeam& team, const PaddedColumns<T>& a, Index k) const;
  Candidate chosen(const PaddedColumns<T>& a, Index k) const;
  void update_behind(const ThreadTeam& team, const PaddedColumns<T>& a, Index strip,
                     Index strip_width, Index end);

  ArrayPivoting pivoting_;
  Index widest_;
  std::vector<Candidate> candidates_;  // one a thread
  std::vector<T> upper_;               // rows of U behind a strip: upper[k * widest + j]
  T strip_upper_[8 * diagonal_block] = {};
  T inverse_[8] = {};
  bool by_division_ = false;  // a pivot of this strip has no reciprocal
};

}  // namespace lufact
