// SPDX-License-Identifier: BSD-3-Clause
// Inversion by LU factorization with divisions (careful_factors.cuh) and, for every column of the
// identity, a forward and a backward substitution: the residual of each column is then as small as
// that of a linear system (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
// section 14.3), which elimination in place does not promise. All columns are substituted row by
// row at once, in the place of the factors.
#pragma once
#include <limits>

#include "gpu/batch/ours/careful_factors.cuh"

namespace lufact::gpu::ours {

// inv(L) in the place of L, the unit lower triangle. `row`: N entries of the group.
template <class Lanes, class Real, int N, int G>
LUFACT_LANE void invert_unit_lower(Real* matrix, Real* row, bool wanted) {
  const int lane = Lanes::lane() % G;
  LUFACT_ROLL
  for (int i = 1; i < N; ++i) {
    LUFACT_ROLL
    for (int k = lane; wanted && k < i; k += G) row[k] = matrix[k * N + i];
    Lanes::sync();
    LUFACT_ROLL
    for (int j = lane; wanted && j < i; j += G) {
      Real sum = row[j];
      LUFACT_ROLL
      for (int k = j + 1; k < i; ++k) sum += row[k] * matrix[j * N + k];
      matrix[j * N + i] = -sum;
    }
    Lanes::sync();
  }
}

// inv(U) inv(L) in the place of U and inv(L). Rows of U are divided by their pivots first: their
// sizes may differ by more than the range of numbers, and products with a row as it is overflow.
// `row`: N entries of the group.
template <class Lanes, class Real, int N, int G>
LUFACT_LANE void substitute_upper(Real* matrix, Real* row, bool wanted) {
  const int lane = Lanes::lane() % G;
  LUFACT_ROLL
  for (int i = N - 1; i >= 0; --i) {
    const Real pivot = matrix[i * N + i];
    LUFACT_ROLL
    for (int k = i + 1 + lane; wanted && k < N; k += G) row[k] = matrix[k * N + i] / pivot;
    Lanes::sync();
    LUFACT_ROLL
    for (int j = lane; wanted && j < N; j += G) {
      const Real y = j < i ? matrix[j * N + i] : (j == i ? Real(1) : Real(0));
      Real x = y / pivot;
      LUFACT_ROLL
      for (int k = i + 1; k < N; ++k) x -= row[k] * matrix[j * N + k];
      matrix[j * N + i] = x;
    }
    Lanes::sync();
  }
}

// Of every group with `wanted`; all lanes call it. `row`: N entries of the group. Returns info.
template <class Lanes, class Real, int N, int G>
LUFACT_LANE int careful_inverse(Real* matrix, Real* row, std::int32_t* pivots, bool wanted) {
  const int lane = Lanes::lane() % G;
  const int info = careful_factors<Lanes, Real, N, G>(matrix, pivots, wanted);
  invert_unit_lower<Lanes, Real, N, G>(matrix, row, wanted);
  substitute_upper<Lanes, Real, N, G>(matrix, row, wanted);
  LUFACT_ROLL
  for (int k = N - 1; k >= 0; --k) {
    if (wanted && pivots[k] != k + 1) {
      exchange<Real, N, G>(matrix + k * N, matrix + (pivots[k] - 1) * N, 1, lane);
    }
    Lanes::sync();
  }
  LUFACT_ROLL
  for (int e = lane; wanted && info != 0 && e < N * N; e += G) {
    matrix[e] = std::numeric_limits<Real>::quiet_NaN();
  }
  return info;
}

}  // namespace lufact::gpu::ours
