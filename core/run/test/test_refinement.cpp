// SPDX-License-Identifier: BSD-3-Clause
// Refinement and FGMRES with factors that are wrong on purpose.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "core/columns/host_vectors.hpp"
#include "core/run/refinement.hpp"

namespace lufact {
namespace {

// A = tridiagonal(-1, 2.5 + shift of every third row, -1).
std::shared_ptr<PermutedMatrix> tridiagonal(Index n) {
  auto matrix = std::make_shared<PermutedMatrix>();
  matrix->pattern.n_rows = matrix->pattern.n_cols = n;
  for (Index i = 0; i < n; ++i) {
    for (Index j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      matrix->pattern.col_idx.push_back(j);
      matrix->values.push_back(i == j ? 2.5 + (i % 3) : -1.0);
    }
    matrix->pattern.row_ptr.push_back(static_cast<Offset>(matrix->pattern.col_idx.size()));
  }
  matrix->row_scale.assign(static_cast<std::size_t>(n), 1.0);
  matrix->col_scale = matrix->row_scale;
  return matrix;
}

// "Factors" of the diagonal times a relative error: refinement converges slowly, or diverges.
class DiagonalFactors final : public Factors {
 public:
  DiagonalFactors(const PermutedMatrix& matrix, double error) : matrix_(matrix), error_(error) {}
  ProductType type() const noexcept override { return {"diagonal"}; }
  Side side() const noexcept override { return Side::host; }
  void solve(VectorBlock& x, std::string_view) const override {
    auto values = dynamic_cast<HostVectorBlock&>(x).data();
    const auto n = static_cast<std::size_t>(x.rows());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto i = static_cast<Index>(k % n);
      const Offset p = find_entry(matrix_.pattern.view(), i, i);
      values[k] /= matrix_.values[static_cast<std::size_t>(p)] * (1 + error_ * (i % 2));
    }
  }
  void refactor(const ProductPtr&, StageContext&) override {}
  FactorFigures figures() const override { return {}; }
  std::string values_sha256() const override { return ""; }

 private:
  const PermutedMatrix& matrix_;
  double error_;
};

SolveReport solve_refined(const SolveProblem& problem, const VectorBlock& b, VectorBlock& x,
                          std::unique_ptr<VectorBlock>& residual) {
  SolveReport report = refine_solution(problem, b, x, residual);
  go_on_with_fgmres(problem, b, x, *residual, report);
  return report;
}

// B x = 1 with factors of that error, twice with the same workspace.
SolveReport solve(const PermutedMatrix& matrix, double matrix_norm, double error, Index columns,
                  double target) {
  const Index n = matrix.pattern.n_rows;
  const DiagonalFactors factors(matrix, error);
  const auto vectors = make_host_vector_backend(1);
  const auto b = vectors->make(n, columns);
  const auto x = vectors->make(n, columns);
  std::vector<double> ones(static_cast<std::size_t>(n * columns), 1.0), first(ones), again(ones);
  vectors->write(ones, *b);
  const SolveProblem problem{factors, "diagonal", matrix, *vectors, matrix_norm, target};
  std::unique_ptr<VectorBlock> residual;
  solve_refined(problem, *b, *x, residual);
  vectors->read(*x, first);
  const VectorBlock* const workspace = residual.get();
  const SolveReport report = solve_refined(problem, *b, *x, residual);
  vectors->read(*x, again);
  EXPECT_EQ(again, first);
  EXPECT_NE(workspace, nullptr);
  EXPECT_EQ(residual.get(), workspace);
  return report;
}

SolveReport solve_with(double error, Index columns, double target) {
  return solve(*tridiagonal(100), 6.5, error, columns, target);
}

TEST(Refinement, TakesNoStepBelowItsTarget) {
  const SolveReport report = solve_with(0.1, 1, 1.0);
  EXPECT_EQ(report.method, "refinement");
  EXPECT_EQ(report.refinement_steps, 0);
  EXPECT_EQ(report.backward_error, report.backward_error_before_refinement);
  EXPECT_GT(report.backward_error, 1e-3);
}

TEST(Refinement, CallsFgmresWhereItStagnatesAndThatConverges) {
  // The error makes the diagonal up to 40 times too large: refinement stagnates far from 1e-14.
  const SolveReport report = solve_with(40, 2, 1e-14);
  EXPECT_EQ(report.method, "refinement+fgmres");
  EXPECT_LT(report.backward_error, 1e-14);
  EXPECT_GT(report.refinement_steps, 0);
}

// 2 I, where the backward error of the factors' solution is half their relative error.
PermutedMatrix twice_identity() {
  PermutedMatrix matrix;
  matrix.pattern = {2, 2, {0, 1, 2}, {0, 1}};
  matrix.values = {2.0, 2.0};
  matrix.row_scale = matrix.col_scale = {1.0, 1.0};
  return matrix;
}

TEST(Refinement, StopsAtItsTarget) {
  const SolveReport report = solve(twice_identity(), 2.0, 0.1, 1, 1e-3);
  EXPECT_EQ(report.method, "refinement");
  EXPECT_GT(report.refinement_steps, 0);
  EXPECT_GT(report.backward_error_before_refinement, 1e-2);
  EXPECT_LE(report.backward_error, 1e-3);
  EXPECT_GT(report.backward_error, 1e-6);
}

TEST(Refinement, TakesNoStepForWhatRoundingLooksLike) {
  const PermutedMatrix matrix = twice_identity();
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const SolveReport left = solve(matrix, 2.0, 30 * epsilon, 1, 0);
  EXPECT_EQ(left.refinement_steps, 0);
  EXPECT_NEAR(left.backward_error, 15 * epsilon, epsilon);
  const SolveReport refined = solve(matrix, 2.0, 34 * epsilon, 1, 0);
  EXPECT_EQ(refined.refinement_steps, 1);
  EXPECT_NEAR(refined.backward_error_before_refinement, 17 * epsilon, epsilon);
  EXPECT_LT(refined.backward_error, epsilon);
}

TEST(Refinement, FactorsApplyThemselvesBetweenTheScalings) {
  const auto matrix = tridiagonal(3);
  matrix->row_scale = {2, 3, 5};
  matrix->col_scale = {7, 11, 13};
  const DiagonalFactors factors(*matrix, 0);
  const auto vectors = make_host_vector_backend(1);
  const auto b = vectors->make(3, 2);
  const auto x = vectors->make(3, 2);
  const std::vector<double> right{2.5, 3.5, 4.5, 5, 7, 9};
  const std::vector<double> expected{14, 33, 65, 28, 66, 130};
  std::vector<double> solution(6), left(6);
  vectors->write(right, *b);
  factors.apply(*matrix, *vectors, *b, *x, "diagonal");
  vectors->read(*x, solution);
  vectors->read(*b, left);
  EXPECT_EQ(solution, expected);
  EXPECT_EQ(left, right);
  factors.apply(*matrix, *vectors, *b, *b, "diagonal");
  vectors->read(*b, solution);
  EXPECT_EQ(solution, expected);
}

TEST(Refinement, NeverReturnsWorseThanItHad) {
  const SolveReport report = solve_with(-1.5, 1, 1e-300);
  EXPECT_LE(report.backward_error, report.backward_error_before_refinement);
}

}  // namespace
}  // namespace lufact
