// SPDX-License-Identifier: BSD-3-Clause
// From factors to an accurate solution: iterative refinement in double and, where it stagnates,
// FGMRES preconditioned by the factors. Sees factors through `apply` alone, on either side.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/pipeline/stage.hpp"
#include "core/pipeline/vectors.hpp"

namespace lufact {

struct SolveProblem {
  const Factors& factors;
  std::string_view method;  // of the triangular solves
  const Product& matrix;    // B on the side of the factors
  VectorBackend& vectors;
  double matrix_norm = 0;   // largest row sum of |B|
  double target = 1e-13;    // backward error from which on nothing is improved
  bool transposed = false;  // B stands for B'; factors and vectors can do that
};

struct SolveReport {
  std::string method;  // "refinement", "refinement+fgmres"
  double backward_error_before_refinement = 0;
  double backward_error = 0;
  int refinement_steps = 0;  // accepted steps; FGMRES iterations are added
};

// Solves B x = b for every column by refinement; x and b have the same size. x is overwritten,
// `residual` is made where it is null and becomes the workspace of the next solve of as many
// columns.
SolveReport refine_solution(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                            std::unique_ptr<VectorBlock>& residual);
// The same from where x holds the factors' solution already, `residual` what that leaves, and
// `error` is its backward error.
SolveReport refine_further(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                           VectorBlock& residual, double error);
// Whether a solution with this backward error is left as it is.
bool is_accurate(const SolveProblem& problem, double error);
// Goes on with FGMRES from the x of refine_solution() where that has not come to the target, and
// keeps what is better. `report` is that of refine_solution(), and becomes that of both.
void go_on_with_fgmres(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                       VectorBlock& residual, SolveReport& report);

// y := B x.
void multiply(const SolveProblem& problem, const VectorBlock& x, VectorBlock& y);
// r := b - B x, as VectorBackend::residual(); returns the backward error.
double find_residual(const SolveProblem& problem, const VectorBlock& x, const VectorBlock& b,
                     VectorBlock& r);
// x := approximate B \ b by the factors, for every column; x may be b.
void apply_factors(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x);

}  // namespace lufact
