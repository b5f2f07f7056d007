// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/dense/cpu/host_lu.hpp"
#include "core/pipeline/dense_record.hpp"

namespace lufact {

// A x = b in double, column by column.
struct RefinedSystem {
  Index n = 0, columns = 0;
  const double* a = nullptr;  // by columns, `ld` apart
  Offset ld = 0;
  double* b = nullptr;  // columns of length n; overwritten by the solution
};

// Solves in double with factors in float. Classical iterative refinement (Wilkinson; LAPACK's
// dsgesv): steps d = (LU)^-1 (b - A x) until the backward error of every column is below
// 2 sqrt(n) eps, at most 30. Where a step does not halve the error of a column, GMRES solves for
// its corrections, with the factors as left preconditioner, applied in double (Carson and Higham,
// SIAM J. Sci. Comput. 39, 2017): at most 10 corrections of at most 50 iterations each, until one
// does not halve the error. A column that stays above has its best solution.
RefinementRecord solve_refined(HostLu<float>& factors, const RefinedSystem& system, int threads);

}  // namespace lufact
