// SPDX-License-Identifier: BSD-3-Clause
// Checks on the host of what was made of a small dense matrix. They share no code with the stages,
// nor with the validator on the device.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "core/array/array_problem.hpp"
#include "core/verify/batch_check.hpp"
#include "core/verify/pivot_replay.hpp"

namespace lufact {

// A matrix and its result, in double (exact for float), by columns without padding.
struct BatchMatrix {
  ArrayOperation operation = ArrayOperation::lu;
  Precision precision = Precision::float64;  // of the arithmetic that made the result
  Index n = 1;
  Index rhs = 0;                         // columns of b and x
  std::span<const double> a;             // as given, n x n
  std::span<const double> b;             // as given, n x rhs; empty unless `solve`
  std::span<const double> result;        // LU, inverse (n x n) or x (n x rhs)
  std::span<const std::int32_t> pivots;  // n, as LAPACK's; empty: none were given, or no pivoting
  std::int32_t info = 0;
};

struct MatrixVerdict {
  bool nonfinite = false;  // A or b has NaN or Inf: nothing else is judged
  // lu: ||PA - LU||_1 / (n ||A||_1); inverse: ||AX - I||_1 / (n ||A||_1 ||X||_1); solve: the worst
  // column's ||b - Ax|| / (||A|| ||x|| + ||b||) in infinity norms (Rigal and Gaches 1967). 0 / 0
  // counts as 0. Infinite where the result is not finite, but 0 where that of the sequential twin
  // is not finite either, for solve with n times b, since partial sums depend on their order: the
  // numbers are beyond the precision. Where norms of A or X lie near the smallest normal number of
  // the precision, n times that stands in their place.
  // 0 for inverse and solve where info > 0.
  double error = 0;
  bool wrong_info = false;             // lu: not the first zero of U's diagonal. Else: see `replay`
  bool wrong_not_nan = false;          // info > 0, but inverse or solution is not all NaN
  std::optional<PivotVerdict> pivots;  // empty: none to judge
};

// `replay`: repeats the elimination on one thread, to compare the pivots and, for inverse and
// solve, info. Without, only multipliers above 1 and rows out of range make pivots `different`, and
// right ones stay unjudged.
// `own_result`: false leaves what a library gives for a singular matrix to the library.
MatrixVerdict validate_matrix(const BatchMatrix& matrix, bool replay, bool own_result);

// The largest `error` that passes: 30 eps of the precision; solve: 30 n eps.
double batch_threshold(ArrayOperation operation, Precision precision, Index n) noexcept;

// Adds the verdict on matrix `k`; indices ascend.
void add_verdict(BatchCheck& check, Offset k, std::int32_t info, const MatrixVerdict& verdict);
// Adds what was found of matrices behind those of `check`.
void add_check(BatchCheck& check, const BatchCheck& later);

}  // namespace lufact
