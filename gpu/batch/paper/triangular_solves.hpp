// SPDX-License-Identifier: BSD-3-Clause
// Solves with the factors of an inversion: L y = p with a unit diagonal, then U x = y. Each entry
// sees the eliminations of elimination.hpp in the order of the substitution.
#pragma once
#include "gpu/batch/paper/elimination.hpp"
#include "gpu/batch/paper/lanes.hpp"

namespace lufact::gpu::paper {

// A column a lane, in registers; the factors in shared memory, by columns with leading dimension
// ld.
template <int n, int ld, class Real>
LUFACT_LANES void solve_lower(const Real* factors, Real (&column)[n]) {
  LUFACT_UNROLL
  for (int k = 0; k < n; ++k) {
    LUFACT_UNROLL
    for (int i = k + 1; i < n; ++i) {
      column[i] = eliminated(column[i], factors[k * ld + i], column[k]);
    }
  }
}

// `reciprocals` of the n diagonal entries of U.
template <int n, int ld, class Real>
LUFACT_LANES void solve_upper(const Real* factors, const PivotReciprocal<Real>* reciprocals,
                              Real (&column)[n]) {
  LUFACT_UNROLL
  for (int k = n - 1; k >= 0; --k) {
    column[k] = reciprocals[k].divide(column[k]);
    LUFACT_UNROLL
    for (int i = 0; i < k; ++i) {
      column[i] = eliminated(column[i], factors[k * ld + i], column[k]);
    }
  }
}

}  // namespace lufact::gpu::paper
