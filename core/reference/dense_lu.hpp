// SPDX-License-Identifier: BSD-3-Clause
// Sequential reference of LU factorization, inversion and solves of a dense matrix, stored by
// columns with a leading dimension. `Real` is float, double or long double; every operation is
// rounded to it, none is fused with another. Terms that make an entry are subtracted in ascending
// order (in back substitution: descending), so that blocked and vectorized versions can have the
// same bits.
#pragma once
#include <cstdint>

#include "core/base/types.hpp"

namespace lufact::reference {

// PA = LU of an m x n matrix (ld >= m) in its place, as LAPACK's getf2 (Anderson et al., LAPACK
// Users' Guide, 1999) does it: partial pivoting that takes the first of the largest candidates,
// whole rows exchanged, a column divided by its pivot through the reciprocal unless that could
// overflow. pivots[k], for k < min(m, n), is the row, from 1, that was exchanged with row k + 1.
// Returns 0, or the first k from 1 with U(k, k) exactly zero; such a column is not scaled, and the
// factorization goes on.
//
// NaN as in LAPACK's IDAMAX: no comparison with it holds, so a NaN in the pivot's own row is the
// pivot, and one further down never is. A NaN is not a zero pivot.
template <class Real>
std::int32_t dense_lu(Index m, Index n, Real* a, Index ld, std::int32_t* pivots);

// A = LU of an m x n matrix in its place, without exchanges: else as dense_lu().
template <class Real>
std::int32_t dense_lu_without_pivoting(Index m, Index n, Real* a, Index ld);

// x := A^-1 x for `columns` vectors of length n, ldx apart, with what dense_lu() made of an n x n
// matrix, or dense_lu_without_pivoting() where `pivots` is null: rows exchanged, forward
// substitution with L, back substitution with U by division. A zero on the diagonal of U gives Inf
// or NaN.
template <class Real>
void dense_solve(Index n, const Real* lu, Index ld, const std::int32_t* pivots, Index columns,
                 Real* x, Index ldx);

// A^-1 into `inverse`, of the leading dimension ld_inverse: U \ (L \ I) by columns, whose columns
// are then exchanged. Column c of L \ I starts at row c.
template <class Real>
void dense_inverse(Index n, const Real* lu, Index ld, const std::int32_t* pivots, Real* inverse,
                   Index ld_inverse);

}  // namespace lufact::reference
