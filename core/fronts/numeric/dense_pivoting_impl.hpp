// SPDX-License-Identifier: BSD-3-Clause
// The LU of a diagonal block with partial pivoting, by panels of register_block columns: Golub and
// Van Loan, Matrix Computations, 4th ed., section 3.4.6; the steps of one that several threads
// share; and the set of all kernels. To be included as dense_kernels_impl.hpp is.
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

template <Index behind, class P, class T>
LUFACT_INLINE void eliminate_rows(T* x, Offset stride, T factor, const T* u) {
  P left = P::load(x);
  left.v *= factor;
  left.store(x);
  for (Index j = 0; j < behind; ++j) {
    T* const to = x + (j + 1) * stride;
    P result = P::load(to);
    result.v -= left.v * u[j];
    result.store(to);
  }
}

template <class T, Index behind = strip_columns - 1>
void eliminate(T* x, Offset stride, Index rows, T factor, const T* u, Index columns) {
  if (columns == behind) {
    return for_strips<T, 1>(
        rows, [&]<class P, int packs>(Index i) __attribute__((always_inline)) {
          eliminate_rows<behind, P>(x + i, stride, factor, u);
        });
  }
  if constexpr (behind > 0) eliminate<T, behind - 1>(x, stride, rows, factor, u, columns);
}

// One pack of rows; returns the magnitudes in column `known`.
template <Index known, class P, class T>
LUFACT_INLINE P next_column_of_rows(T* x, Offset stride, T factor, const T* u) {
  P result = P::load(x + known * stride);
  for (Index j = 0; j + 1 < known; ++j) result.v -= P::load(x + j * stride).v * u[j];
  if constexpr (known > 0) {
    P left = P::load(x + (known - 1) * stride);
    left.v *= factor;
    left.store(x + (known - 1) * stride);
    result.v -= left.v * u[known - 1];
    result.store(x + known * stride);
  }
  result.v = result.v < 0 ? -result.v : result.v;
  return result;
}

template <class P>
LUFACT_INLINE void raise(P& most, P size) {
  most.v = size.v > most.v ? size.v : most.v;
}

// Packs of rows from row i on, which becomes the row behind them. Raises `most` to the largest
// magnitude.
template <Index known, class P, class T>
LUFACT_INLINE void next_column_of_packs(T* x, Offset stride, Index& i, Index rows, T factor,
                                        const T* u, T& most) {
  constexpr Index lanes = P::lanes;
  P even = P::zero(), odd = P::zero();  // two, since a comparison waits for the one before it
  for (; i + 2 * lanes <= rows; i += 2 * lanes) {
    raise(even, next_column_of_rows<known, P>(x + i, stride, factor, u));
    raise(odd, next_column_of_rows<known, P>(x + i + lanes, stride, factor, u));
  }
  if (i + lanes <= rows) {
    raise(even, next_column_of_rows<known, P>(x + i, stride, factor, u));
    i += lanes;
  }
  raise(even, odd);
  for (Index lane = 0; lane < lanes; ++lane) most = even.v[lane] > most ? even.v[lane] : most;
}

template <class T, Index columns = strip_columns - 1>
T next_column(T* x, Offset stride, Index rows, Index known, T factor, const T* u) {
  if (known == columns) {
    T most = 0;
    Index i = 0;
    next_column_of_packs<columns, Wide<T>>(x, stride, i, rows, factor, u, most);
    if (i < rows) next_column_of_packs<columns, Narrow<T>>(x, stride, i, rows, factor, u, most);
    return most;
  }
  if constexpr (columns > 0) {
    return next_column<T, columns - 1>(x, stride, rows, known, factor, u);
  }
  return 0;
}

template <class T>
Index first_of(const T* x, Index rows, T size) {
  using P = Narrow<T>;
  constexpr Index at_once = 16 * P::lanes;
  for (Index begin = 0; begin < rows; begin += at_once) {
    const Index end = rows - begin < at_once ? rows : begin + at_once;
    decltype(P{}.v == P{}.v) hits{};
    for (Index i = begin; i < end; i += P::lanes) {
      const P value = P::load(x + i);
      hits |= (value.v == size) | (value.v == -size);
    }
    bool any = false;
    for (int lane = 0; lane < P::lanes; ++lane) any |= hits[lane] != 0;
    if (!any) continue;
    for (Index i = begin; i < end; ++i) {
      if (magnitude(x[i]) == size) return i;
    }
  }
  return rows;
}

template <class T>
constexpr DenseKernels<T> kernels_of(std::string_view name) {
  return {name,
          factor<T>,
          factor_with_exchanges<T>,
          solve<T>,
          multiply<T>,
          dots<T>,
          forward<T>,
          backward<T>,
          solve_sides<T>,
          dots_of_sides<T>,
          eliminate<T>,
          largest<T>,
          next_column<T>,
          first_of<T>};
}

}  // namespace
}  // namespace lufact
