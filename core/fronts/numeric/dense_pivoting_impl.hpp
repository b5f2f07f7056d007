// SPDX-License-Identifier: BSD-3-Clause
// The LU of a diagonal block with partial pivoting, by panels of register_block columns: Golub and
// Van Loan, Matrix Computations, 4th ed., section 3.4.6; and the set of all kernels. To be included
// as dense_kernels_impl.hpp is.
#pragma once
#include "core/fronts/numeric/dense_solves_impl.hpp"

namespace lufact {
namespace {

// The first of the rows k .. width whose entry is nearly the largest; k where none is a number.
template <class T>
LUFACT_INLINE Index pivot_row(const T* column, Index k, Index width) {
  T largest = 0;
  for (Index i = k; i < width; ++i) {
    const T size = magnitude(column[i]);
    if (size > largest) largest = size;
  }
  const T enough = largest * T(nearly_largest);
  for (Index i = k; i < width; ++i) {
    if (magnitude(column[i]) >= enough) return i;
  }
  return k;
}

// A block whose columns before `panel` are eliminated.
template <class T>
struct PivotedBlock {
  T* d;
  Offset stride;
  Index width;
  T *inverse, *upper;
  Index* exchange;

  LUFACT_INLINE T* column(Index j) const { return d + j * stride; }

  LUFACT_INLINE void exchange_rows(Index k, Index p, PivotWatch<T>& watch) const {
    exchange[k] = p;
    if (p == k) return;
    ++watch.exchanged;
    for (Index j = 0; j < width; ++j) {
      const T above = column(j)[k];
      column(j)[k] = column(j)[p];
      column(j)[p] = above;
    }
  }

  // column(j) -= column(k) * U(k, j) in the rows from k + 1 to `end`.
  LUFACT_INLINE void eliminate_in(Index j, Index k, Index end) const {
    T* const to = column(j);
    const T* const from = column(k);
    const T u = to[k];
    upper[k * diagonal_block + j] = u;
    for (Index i = k + 1; i < end; ++i) to[i] -= from[i] * u;
  }

  // Eliminates columns begin .. end in all rows from `begin` on.
  LUFACT_INLINE void factor_panel(Index begin, Index end, PivotWatch<T>& watch) const {
    for (Index k = begin; k < end; ++k) {
      T* const pivots = column(k);
      exchange_rows(k, pivot_row(pivots, k, width), watch);
      pivots[k] = watched_pivot(pivots[k], watch);
      inverse[k] = T(1) / pivots[k];
      for (Index i = k + 1; i < width; ++i) pivots[i] *= inverse[k];
      for (Index j = k + 1; j < end; ++j) eliminate_in(j, k, width);
    }
  }

  // Updates the columns from `end` on by the panel begin .. end.
  LUFACT_INLINE void update_behind(Index begin, Index end) const {
    const Index rest = width - end;
    if (rest == 0) return;
    for (Index j = end; j < width; ++j) {
      for (Index k = begin; k < end; ++k) eliminate_in(j, k, end);
    }
    multiply(column(end) + end, stride, column(begin) + end, stride,
             upper + begin * diagonal_block + end, Offset{diagonal_block},
             (rest + row_unit - 1) / row_unit * row_unit, rest, end - begin, false);
  }
};

template <class T>
void factor_with_exchanges(T* d, Offset stride, Index width, T* inverse, T* upper, Index* exchange,
                           PivotWatch<T>& watch) {
  const PivotedBlock<T> block{d, stride, width, inverse, upper, exchange};
  for (Index begin = 0; begin < width; begin += register_block) {
    const Index end = width - begin < register_block ? width : begin + register_block;
    block.factor_panel(begin, end, watch);
    block.update_behind(begin, end);
  }
}

template <class T>
constexpr DenseKernels<T> kernels_of(std::string_view name) {
  return {name,       factor<T>,   factor_with_exchanges<T>, solve<T>,         multiply<T>, dots<T>,
          forward<T>, backward<T>, solve_sides<T>,           dots_of_sides<T>, largest<T>};
}

}  // namespace
}  // namespace lufact
