// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/refinement.hpp"

#include <limits>
#include <memory>

#include "core/pipeline/fgmres.hpp"

namespace lufact {
namespace {

constexpr int max_refinement_steps = 10;
// What the rounding of a residual can look like: a step from there on is a solve for nothing.
constexpr double converged = 4 * std::numeric_limits<double>::epsilon();

double measure(const SolveProblem& problem, const VectorBlock& x, const VectorBlock& b,
               VectorBlock& r) {
  problem.vectors.residual(problem.matrix, x, b, r);
  return problem.vectors.backward_error(problem.matrix_norm, x, b, r);
}

struct Refined {
  double error = 0;
  int steps = 0;
};

// Steps of x += B \ r while each at least halves the backward error; a step that makes it worse is
// taken back. `r` holds the residual of x on entry and on return. Most solves need no step, and a
// vector takes as long to make as the decision does on a device that waits for it.
Refined refine(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x, VectorBlock& r,
               double error) {
  if (!(error > converged)) return {error, 0};
  VectorBackend& vectors = problem.vectors;
  const auto step = vectors.make(b.rows(), b.columns());
  std::unique_ptr<VectorBlock> previous;
  Refined result{error, 0};
  while (result.error > converged && result.steps < max_refinement_steps) {
    vectors.copy(r, *step);
    apply_factors(problem, *step);
    if (previous == nullptr) previous = vectors.make(b.rows(), b.columns());
    vectors.copy(x, *previous);
    vectors.add_scaled(1, *step, x);
    const double next = measure(problem, x, b, r);
    if (!(next < result.error)) {
      vectors.copy(*previous, x);
      vectors.residual(problem.matrix, x, b, r);
      break;
    }
    const bool slow = next > 0.5 * result.error;
    result = {next, result.steps + 1};
    if (slow) break;
  }
  return result;
}

}  // namespace

void apply_factors(const SolveProblem& problem, VectorBlock& x) {
  problem.vectors.scale_by_rows(problem.matrix, x);
  problem.factors.solve(x, problem.method);
  problem.vectors.scale_by_columns(problem.matrix, x);
}

SolveReport solve_refined(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x) {
  VectorBackend& vectors = problem.vectors;
  vectors.copy(b, x);
  apply_factors(problem, x);
  const auto r = vectors.make(b.rows(), b.columns());  // while a device is still solving
  SolveReport report;
  report.method = "refinement";
  report.backward_error_before_refinement = measure(problem, x, b, *r);
  const Refined refined = refine(problem, b, x, *r, report.backward_error_before_refinement);
  report.backward_error = refined.error;
  report.refinement_steps = refined.steps;
  if (report.backward_error <= problem.accept) return report;
  const auto candidate = vectors.make(b.rows(), b.columns());
  vectors.copy(x, *candidate);
  const int iterations = fgmres(problem, b, *candidate);
  const double error = measure(problem, *candidate, b, *r);
  if (error < report.backward_error || !(report.backward_error < 1)) {
    vectors.copy(*candidate, x);
    report.method = "refinement+fgmres";
    report.backward_error = error;
    report.refinement_steps += iterations;
  }
  return report;
}

}  // namespace lufact
