// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/refinement.hpp"

#include <memory>

#include "core/pipeline/transposed.hpp"
#include "core/run/fgmres.hpp"
#include "core/run/refinement_rule.hpp"

namespace lufact {
namespace {

TransposedVectors& transposed_vectors(const SolveProblem& problem) {
  return dynamic_cast<TransposedVectors&>(problem.vectors);
}

// Steps of x += B \ r. `r` holds the residual of x on entry, and anything on return. Most solves
// need no step, and a vector takes as long to make as the decision does on a device that waits for
// it.
RefinementRule refine(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                      VectorBlock& r, double error) {
  RefinementRule rule(error, problem.target);
  if (!rule.wants_step()) return rule;
  VectorBackend& vectors = problem.vectors;
  const auto step = vectors.make(b.rows(), b.columns());
  std::unique_ptr<VectorBlock> previous;
  while (rule.wants_step()) {
    apply_factors(problem, r, *step);
    if (previous == nullptr) previous = vectors.make(b.rows(), b.columns());
    vectors.copy(x, *previous);
    vectors.add_scaled(1, *step, x);
    if (!rule.keeps_step(find_residual(problem, x, b, r))) vectors.copy(*previous, x);
  }
  return rule;
}

}  // namespace

bool is_accurate(const SolveProblem& problem, double error) {
  return !(error > RefinementRule::enough(problem.target));
}

void multiply(const SolveProblem& problem, const VectorBlock& x, VectorBlock& y) {
  if (problem.transposed) {
    transposed_vectors(problem).multiply_transposed(problem.matrix, x, y);
  } else {
    problem.vectors.multiply(problem.matrix, x, y);
  }
}

double find_residual(const SolveProblem& problem, const VectorBlock& x, const VectorBlock& b,
                     VectorBlock& r) {
  return problem.transposed
             ? transposed_vectors(problem).residual_transposed(problem.matrix, problem.matrix_norm,
                                                               x, b, r)
             : problem.vectors.residual(problem.matrix, problem.matrix_norm, x, b, r);
}

void apply_factors(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x) {
  if (problem.transposed) {
    apply_transposed(problem.factors, problem.matrix, problem.vectors, b, x, problem.method);
    return;
  }
  problem.factors.apply(problem.matrix, problem.vectors, b, x, problem.method);
}

SolveReport refine_solution(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                            std::unique_ptr<VectorBlock>& residual) {
  VectorBackend& vectors = problem.vectors;
  apply_factors(problem, b, x);
  if (residual == nullptr) residual = vectors.make(b.rows(), b.columns());  // as a device solves
  return refine_further(problem, b, x, *residual, find_residual(problem, x, b, *residual));
}

SolveReport refine_further(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                           VectorBlock& residual, double error) {
  SolveReport report;
  report.method = "refinement";
  report.backward_error_before_refinement = error;
  const RefinementRule rule = refine(problem, b, x, residual, error);
  report.backward_error = rule.error();
  report.refinement_steps = rule.steps();
  return report;
}

void go_on_with_fgmres(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                       VectorBlock& residual, SolveReport& report) {
  if (is_accurate(problem, report.backward_error)) return;
  VectorBackend& vectors = problem.vectors;
  const auto candidate = vectors.make(b.rows(), b.columns());
  vectors.copy(x, *candidate);
  const int iterations = fgmres(problem, b, *candidate);
  const double error = find_residual(problem, *candidate, b, residual);
  if (error < report.backward_error || !(report.backward_error < 1)) {
    vectors.copy(*candidate, x);
    report.method = "refinement+fgmres";
    report.backward_error = error;
    report.refinement_steps += iterations;
  }
}

}  // namespace lufact
