// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves x := U \ (L \ x) on the host, in the precision of the factors, for several
// right-hand sides at once: they stand interleaved (entry i of side s at i * sides + s), so that an
// entry of L or U is read once for all of them.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "core/columns/column_storage.hpp"
#include "core/columns/level_sets.hpp"

namespace lufact {

// The best number of right-hand sides to solve together; any smaller number works too.
inline constexpr int interleaved_sides = 8;

// Solves by columns, on one thread.
template <class T>
void solve_by_columns(const ColumnStorage& storage, std::span<const T> values, int sides, T* x);

// x := L' \ (U' \ x): the columns of L + U are the rows of its transpose.
template <class T>
void solve_transposed_by_columns(const ColumnStorage& storage, std::span<const T> values, int sides,
                                 T* x);

// Which of two triangular factors has a diagonal of ones, which is not stored: L of LU, or L' of
// (LU)'.
enum class UnitFactor { lower, upper };

// Solves by rows in levels of its own: row i of L waits for the rows k with L(i,k) != 0, row i of U
// for those with U(i,k) != 0. (The levels of the factorization cannot be used: under the exact rule
// they need not order L's entries.) A row is summed by one thread in ascending order of columns for
// L, descending for U: the order of updates by columns, whatever the number of threads.
template <class T>
class LevelSolver {
 public:
  // Levels and work shares for the two factors, lower and upper, that `rows` stores by rows,
  // columns ascending, with the diagonal of one of them at the positions `diagonal`. Both must
  // outlive this.
  LevelSolver(const CsrPattern& rows, std::span<const Offset> diagonal, UnitFactor unit);
  // Values of L + U entry by entry of the pattern.
  void set_values(std::vector<T> values_by_row) { values_ = std::move(values_by_row); }
  bool has_values() const noexcept { return values_.size() == rows_.col_idx.size(); }
  void clear_values() noexcept { values_.clear(); }
  void solve(int sides, T* x, int threads) const;

 private:
  // Consecutive rows of LevelSets::items: one level worth sharing, or several small ones for a
  // single thread, which saves their barriers.
  struct Share {
    Index begin, end;
    bool parallel;
  };
  struct Triangle {
    LevelSets sets;
    std::vector<Share> shares;
  };
  Triangle make_triangle(bool lower) const;
  void lower_row(Index i, int sides, T* x) const;
  void upper_row(Index i, int sides, T* x) const;
  template <class Row>
  void sweep(const Triangle& triangle, int threads, const Row& row) const;

  void divide_by_diagonal(Index i, int sides, T* x) const;

  const CsrPattern& rows_;
  std::span<const Offset> diagonal_;
  UnitFactor unit_;
  Triangle lower_, upper_;
  std::vector<T> values_;
};

}  // namespace lufact
