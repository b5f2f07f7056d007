// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/refinement.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "core/run/fgmres.hpp"

namespace lufact {
namespace {

constexpr int max_refinement_steps = 10;
// What the rounding of a stable solve and of its residual can look like: nobody gets below that.
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

// A step costs as much as the solve did, so that none is taken for digits that nobody asked for.
double enough(const SolveProblem& problem) {
  return std::max(problem.target, rounding);
}

double measure(const SolveProblem& problem, const VectorBlock& x, const VectorBlock& b,
               VectorBlock& r) {
  return problem.vectors.residual(problem.matrix, problem.matrix_norm, x, b, r);
}

struct Refined {
  double error = 0;
  int steps = 0;
};

// Steps of x += B \ r while each at least halves the backward error; a step that makes it worse is
// taken back. `r` holds the residual of x on entry, and anything on return. Most solves need no
// step, and a vector takes as long to make as the decision does on a device that waits for it.
Refined refine(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x, VectorBlock& r,
               double error) {
  if (is_accurate(problem, error)) return {error, 0};
  VectorBackend& vectors = problem.vectors;
  const auto step = vectors.make(b.rows(), b.columns());
  std::unique_ptr<VectorBlock> previous;
  Refined result{error, 0};
  while (result.error > enough(problem) && result.steps < max_refinement_steps) {
    apply_factors(problem, r, *step);
    if (previous == nullptr) previous = vectors.make(b.rows(), b.columns());
    vectors.copy(x, *previous);
    vectors.add_scaled(1, *step, x);
    const double next = measure(problem, x, b, r);
    if (!(next < result.error)) {
      vectors.copy(*previous, x);
      break;
    }
    const bool slow = next > 0.5 * result.error;
    result = {next, result.steps + 1};
    if (slow) break;
  }
  return result;
}

}  // namespace

bool is_accurate(const SolveProblem& problem, double error) {
  return !(error > enough(problem));
}

void apply_factors(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x) {
  problem.factors.apply(problem.matrix, problem.vectors, b, x, problem.method);
}

SolveReport refine_solution(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                            std::unique_ptr<VectorBlock>& residual) {
  VectorBackend& vectors = problem.vectors;
  apply_factors(problem, b, x);
  if (residual == nullptr) residual = vectors.make(b.rows(), b.columns());  // as a device solves
  return refine_further(problem, b, x, *residual, measure(problem, x, b, *residual));
}

SolveReport refine_further(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                           VectorBlock& residual, double error) {
  SolveReport report;
  report.method = "refinement";
  report.backward_error_before_refinement = error;
  const Refined refined = refine(problem, b, x, residual, error);
  report.backward_error = refined.error;
  report.refinement_steps = refined.steps;
  return report;
}

void go_on_with_fgmres(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                       VectorBlock& residual, SolveReport& report) {
  if (report.backward_error <= enough(problem)) return;
  VectorBackend& vectors = problem.vectors;
  const auto candidate = vectors.make(b.rows(), b.columns());
  vectors.copy(x, *candidate);
  const int iterations = fgmres(problem, b, *candidate);
  const double error = measure(problem, *candidate, b, residual);
  if (error < report.backward_error || !(report.backward_error < 1)) {
    vectors.copy(*candidate, x);
    report.method = "refinement+fgmres";
    report.backward_error = error;
    report.refinement_steps += iterations;
  }
}

}  // namespace lufact
