// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/dense_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lufact::reference {
namespace {

template <class Entry>
Entry& entry(Entry* a, Index ld, Index i, Index j) {
  return a[Offset{j} * ld + i];
}

// The first of the largest among rows k to m of a column.
template <class Real>
Index largest_from(Index k, Index m, const Real* column) {
  Index row = k;
  for (Index i = k + 1; i < m; ++i) {
    if (std::abs(column[i]) > std::abs(column[row])) row = i;
  }
  return row;
}

template <class Real>
void exchange_rows(Index columns, Real* a, Index ld, Index row, Index other) {
  if (row == other) return;
  for (Index j = 0; j < columns; ++j) std::swap(entry(a, ld, row, j), entry(a, ld, other, j));
}

// column[i] /= pivot for i in (k, m).
template <class Real>
void divide_below(Index k, Index m, Real* column, Real pivot) {
  if (std::abs(pivot) >= std::numeric_limits<Real>::min()) {
    const Real reciprocal = Real{1} / pivot;
    for (Index i = k + 1; i < m; ++i) column[i] *= reciprocal;
  } else {
    for (Index i = k + 1; i < m; ++i) column[i] /= pivot;
  }
}

// target[i] -= column[i] * factor for i in [begin, end).
template <class Real>
void subtract(Index begin, Index end, const Real* column, Real factor, Real* target) {
  for (Index i = begin; i < end; ++i) target[i] -= column[i] * factor;
}

// x := L \ x, where x is zero above row `first`.
template <class Real>
void forward(Index n, const Real* lu, Index ld, Index first, Real* x) {
  for (Index k = first; k < n; ++k) subtract(k + 1, n, &entry(lu, ld, 0, k), x[k], x);
}

template <class Real>
void backward(Index n, const Real* lu, Index ld, Real* x) {
  for (Index k = n - 1; k >= 0; --k) {
    x[k] /= entry(lu, ld, k, k);
    subtract(0, k, &entry(lu, ld, 0, k), x[k], x);
  }
}

}  // namespace

template <class Real>
std::int32_t dense_lu_without_pivoting(Index m, Index n, Real* a, Index ld) {
  std::int32_t info = 0;
  for (Index k = 0; k < std::min(m, n); ++k) {
    Real* const column = &entry(a, ld, 0, k);
    if (column[k] != Real{0}) {
      divide_below(k, m, column, column[k]);
    } else if (info == 0) {
      info = k + 1;
    }
    for (Index j = k + 1; j < n; ++j) {
      subtract(k + 1, m, column, entry(a, ld, k, j), &entry(a, ld, 0, j));
    }
  }
  return info;
}

template <class Real>
std::int32_t dense_lu(Index m, Index n, Real* a, Index ld, std::int32_t* pivots) {
  std::int32_t info = 0;
  for (Index k = 0; k < std::min(m, n); ++k) {
    Real* const column = &entry(a, ld, 0, k);
    const Index row = largest_from(k, m, column);
    pivots[k] = row + 1;
    if (column[row] != Real{0}) {
      exchange_rows(n, a, ld, k, row);
      divide_below(k, m, column, column[k]);
    } else if (info == 0) {
      info = k + 1;
    }
    for (Index j = k + 1; j < n; ++j) {
      subtract(k + 1, m, column, entry(a, ld, k, j), &entry(a, ld, 0, j));
    }
  }
  return info;
}

template <class Real>
void dense_solve(Index n, const Real* lu, Index ld, const std::int32_t* pivots, Index columns,
                 Real* x, Index ldx) {
  for (Index k = 0; k < n && pivots != nullptr; ++k) {
    exchange_rows(columns, x, ldx, k, pivots[k] - 1);
  }
  for (Index c = 0; c < columns; ++c) {
    Real* const column = &entry(x, ldx, 0, c);
    forward(n, lu, ld, 0, column);
    backward(n, lu, ld, column);
  }
}

template <class Real>
void dense_inverse(Index n, const Real* lu, Index ld, const std::int32_t* pivots, Real* inverse,
                   Index ld_inverse) {
  for (Index c = 0; c < n; ++c) {
    Real* const column = &entry(inverse, ld_inverse, 0, c);
    std::fill(column, column + n, Real{0});
    column[c] = Real{1};
    forward(n, lu, ld, c, column);
    backward(n, lu, ld, column);
  }
  for (Index k = n - 1; k >= 0; --k) {
    Real* const column = &entry(inverse, ld_inverse, 0, k);
    Real* const other = &entry(inverse, ld_inverse, 0, pivots[k] - 1);
    if (column != other) std::swap_ranges(column, column + n, other);
  }
}

#define LUFACT_DENSE_LU_OF(Real)                                                                \
  template std::int32_t dense_lu<Real>(Index, Index, Real*, Index, std::int32_t*);              \
  template std::int32_t dense_lu_without_pivoting<Real>(Index, Index, Real*, Index);            \
  template void dense_solve<Real>(Index, const Real*, Index, const std::int32_t*, Index, Real*, \
                                  Index);                                                       \
  template void dense_inverse<Real>(Index, const Real*, Index, const std::int32_t*, Real*, Index);
LUFACT_DENSE_LU_OF(float)
LUFACT_DENSE_LU_OF(double)
LUFACT_DENSE_LU_OF(long double)
#undef LUFACT_DENSE_LU_OF

}  // namespace lufact::reference
