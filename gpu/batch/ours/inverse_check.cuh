// SPDX-License-Identifier: BSD-3-Clause
// Whether an inverse is as accurate as the verification asks for, in the kernel itself, for the few
// matrices that give reason to doubt it. Elimination in place is less stable than LU with
// substitutions: the residual grows with |inv(U)| |U| (Peters and Wilkinson, On the stability of
// Gauss-Jordan elimination with pivoting, 1975; Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, section 14.4). Rows above a pivot are what becomes large: by the
// multipliers with which the pivot row is added to them.
#pragma once
#include <limits>

#include "gpu/batch/ours/magnitude_key.cuh"
#include "gpu/batch/ours/staged_matrix.cuh"

namespace lufact::gpu::ours {

// Multipliers below 2^this cost as many times the error of other matrices, which is mostly below
// 0.2 epsilon; the verification allows 30.
inline constexpr int doubtful_exponent = 6;
inline constexpr int allowed_epsilons = 8;

// The sum over a group. All lanes call it.
template <class Lanes, int G, class Real>
LUFACT_LANE Real sum_of_group(Real value) {
  LUFACT_UNROLL
  for (int distance = G / 2; distance > 0; distance /= 2) {
    value += Lanes::template shuffle<G>(value, Lanes::lane() ^ distance);
  }
  return value;
}

// Of every group with `wanted`, whether ||AX - I|| / (N ||A|| ||X||) in the 1-norm is too large.
// `x` has X by columns. All lanes call it.
template <class Lanes, class Real, int N, int R, int G>
LUFACT_LANE bool is_inaccurate(const GlobalMatrix<Real>& a, const Real* x, bool wanted) {
  constexpr Real allowed = N * allowed_epsilons * std::numeric_limits<Real>::epsilon();
  const int lane = Lanes::lane() % G;
  const auto exists = [&](int r) { return wanted && lane + r * G < N; };
  Real row[R][N];  // rows lane + r * G of A
  LUFACT_UNROLL
  for (int k = 0; k < N; ++k) {
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) row[r][k] = exists(r) ? a.at(lane + r * G, k) : Real(0);
  }
  Real rest = 0, size_a = 0, size_x = 0;
  LUFACT_ROLL
  for (int j = 0; j < N; ++j) {
    Real product[R], rest_of_column = 0, column_of_a = 0, column_of_x = 0;
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) product[r] = lane + r * G == j ? Real(-1) : Real(0);
    LUFACT_UNROLL
    for (int k = 0; k < N; ++k) {
      const Real entry = x[j * N + k];
      LUFACT_UNROLL
      for (int r = 0; r < R; ++r) product[r] = multiply_add(row[r][k], entry, product[r]);
    }
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      if (!exists(r)) continue;
      rest_of_column += std::fabs(product[r]);
      column_of_a += std::fabs(a.at(lane + r * G, j));
      column_of_x += std::fabs(x[j * N + lane + r * G]);
    }
    rest_of_column = sum_of_group<Lanes, G>(rest_of_column);
    column_of_a = sum_of_group<Lanes, G>(column_of_a);
    column_of_x = sum_of_group<Lanes, G>(column_of_x);
    const bool is_nan = rest_of_column != rest_of_column;  // which stays
    rest = rest_of_column > rest || is_nan ? rest_of_column : rest;
    size_a = column_of_a > size_a ? column_of_a : size_a;
    size_x = column_of_x > size_x ? column_of_x : size_x;
  }
  return wanted && !(rest / size_a / size_x <= allowed);
}

// A in the place of what was made of it. Of every group with `wanted`; all lanes call it.
template <class Lanes, class Real, int N, int G>
LUFACT_LANE void read_again(const GlobalMatrix<Real>& a, Real* matrix, bool wanted) {
  LUFACT_ROLL
  for (int e = Lanes::lane() % G; wanted && e < N * N; e += G) matrix[e] = a.at(e % N, e / N);
  Lanes::sync();
}

}  // namespace lufact::gpu::ours
