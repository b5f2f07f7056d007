// SPDX-License-Identifier: BSD-3-Clause
// Checks of a solution of A x = b on the host, with A as read, unscaled; or of A' x = b, where a
// function is told that the system is `transposed`.
//
// Residuals, |A| |x| and the norm of A are accumulated in long double (64-bit significand on x86:
// a product of two doubles loses less than 2^-64 of itself), so that the check's own rounding lies
// far below that of the solution. Vectors are n x columns, stored by columns. Rows are checked in
// parallel; the figures do not depend on the number of threads.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/types.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// Infinity norms; every figure is the largest over the right-hand sides. 0 / 0 counts as 0, and a
// figure that is not finite, or comes from anything that is not, is +infinity, never NaN.
struct SolutionCheck {
  double backward_error = 0;     // ||b - Ax|| / (||A|| ||x|| + ||b||) (Rigal and Gaches 1967)
  double relative_residual = 0;  // ||b - Ax|| / ||b||
  double componentwise_backward_error = 0;  // max_i |b - Ax|_i / (|A||x| + |b|)_i (Oettli, Prager)
  double x_norm = 0;
  std::optional<double> x_true_norm;  // empty where no true solution is known
};

// `x_true` may be empty. Throws std::invalid_argument where sizes do not fit.
SolutionCheck check_solution(const CsrMatrix& a, std::span<const double> x,
                             std::span<const double> b, std::span<const double> x_true,
                             Index columns, bool transposed = false);

// Largest row sum of |A|, or of |A'|.
double matrix_norm(const CsrMatrix& a, bool transposed = false);

// Uniform in [-1, 1); entry (i, c) is a function of the seed, i and c alone, so that more columns
// leave the first ones as they are.
std::vector<double> make_x_true(Index n, Index columns, std::uint64_t seed);

// A x, or A' x, for every column of x, each entry rounded once.
std::vector<double> multiply(const CsrMatrix& a, std::span<const double> x, Index columns,
                             bool transposed = false);

}  // namespace lufact
