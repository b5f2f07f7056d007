// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/raw_vector.hpp"
#include "core/dense/cpu/lu_panel.hpp"

namespace lufact {

// LU of a dense matrix on all cores, by blocks of columns: a panel over all rows that are left, the
// rows of U beside it, the product that updates the rest (right-looking, as LAPACK's getrf), the
// next panel beside that product. The bits are the same for every number of threads.
template <class T>
class HostLu {
 public:
  // `block` is a multiple of 8. Throws std::bad_alloc.
  HostLu(Index m, Index n, ArrayPivoting pivoting, Index block, int threads);

  // Takes a matrix, or what is left of one, in other memory; `Real` is rounded to T.
  template <class Real>
  void load(const Real* a, Offset ld);
  template <class Real>
  void store(Real* a, Offset ld) const;
  // Takes the factors of another precision as they are.
  template <class Other>
  void take_factors(const HostLu<Other>& other);

  // 0, or the first k from 1 with U(k, k) zero; the factorization is completed as getrf does.
  std::int32_t factor();
  // min(m, n) rows from 1; of no meaning without pivoting.
  std::span<const std::int32_t> pivots() const noexcept { return pivots_; }
  ArrayPivoting pivoting() const noexcept { return pivoting_; }
  bool finite() const;  // whether no factor is NaN or Inf

  // x := A^-1 x for `columns` vectors of length n in place, of a square matrix that has factors.
  void solve(T* x, Offset ldx, Index columns);

 private:
  template <class Other>
  friend class HostLu;

  void factor_with(const ThreadTeam& region);
  int panel_threads(const ThreadTeam& team, Index first, Index behind) const;
  void eliminate_panel(const ThreadTeam& part, Index first, Index width);
  template <class Body>
  void for_packed(const ThreadTeam& team, Index next, const Body& body);
  void solve_rows_of_u(Index first, Index width, Index begin, Index end, T* upper, Offset stride);
  void multiply(const ThreadTeam& team, Index first, Index width, Index begin, Index end,
                const T* upper, Offset stride);
  void update_next_panel(const ThreadTeam& part, Index first, Index width, Index columns);
  void update_behind(const ThreadTeam& team, Index first, Index width, Index begin,
                     std::atomic<Offset>& taken);
  void exchange_in_l(const ThreadTeam& team);
  void load_vectors(const ThreadTeam& team, const T* x, Offset ldx, Index columns);
  void store_vectors(const ThreadTeam& team, T* x, Offset ldx, Index columns);
  void solve_block(const ThreadTeam& team, Index first, Index width, Index columns, bool upper);
  void update_vectors(const ThreadTeam& team, Index first, Index width, Index columns, Index begin,
                      Index end);
  int team_size(Offset work) const;

  PaddedColumns<T> a_;
  ArrayPivoting pivoting_;
  Index block_;
  int threads_;
  // Of the rows of U beside a panel, those of the columns from `column` on.
  T* rows_of_u(Index column);

  RawVector<T> storage_, beside_;
  std::array<RawVector<T>, 2> packed_;  // rows below a panel and below the next one
  std::vector<std::int32_t> pivots_;
  LuPanel<T> panel_;
  MeetingPoint everyone_, meeting_;             // meeting_: of the threads of a panel
  std::array<std::atomic<Offset>, 2> taken_{};  // parts of an update, and of the next one
  std::int32_t info_ = 0;
  RawVector<T> vectors_, of_block_;  // right-hand sides; those of a block of rows, a row a row
  std::vector<T> inverse_;           // reciprocals of U's diagonal
};

}  // namespace lufact
