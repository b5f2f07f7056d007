// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/verify/solution.hpp"
#include "core/verify/test/test_support.hpp"

namespace lufact {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// {{2, 0}, {1, 4}}: norm 5.
CsrMatrix small() {
  return test::matrix_from_triplets(2, {{0, 0, 2}, {1, 0, 1}, {1, 1, 4}});
}

TEST(Solution, TheTrueSolutionHasNoError) {
  const std::vector<double> x{1, -1};
  const std::vector<double> b = multiply(small(), x, 1);
  EXPECT_EQ(b, (std::vector<double>{2, -3}));
  const SolutionCheck check = check_solution(small(), x, b, x, 1);
  EXPECT_EQ(check.backward_error, 0);
  EXPECT_EQ(check.relative_residual, 0);
  EXPECT_EQ(check.componentwise_backward_error, 0);
  EXPECT_EQ(check.x_norm, 1);
  EXPECT_EQ(check.x_true_norm, 1);
}

TEST(Solution, ATransposedSystemIsCheckedAsThatOfTheTranspose) {
  const CsrMatrix a = test::random_matrix(40, 4, 5);
  std::vector<test::Triplet> entries;
  for (Index i = 0; i < 40; ++i) {
    for (std::size_t p = 0; p < a.pattern.row(i).size(); ++p) {
      entries.push_back({a.pattern.row(i)[p], i, a.row_values(i)[p]});
    }
  }
  const CsrMatrix turned = test::matrix_from_triplets(40, entries);
  const std::vector<double> x = make_x_true(40, 3, 2);
  EXPECT_EQ(matrix_norm(a, true), matrix_norm(turned));
  EXPECT_NE(matrix_norm(a, true), matrix_norm(a));
  std::vector<double> b = multiply(turned, x, 3);
  EXPECT_EQ(multiply(a, x, 3, true), b);
  EXPECT_LT(check_solution(a, x, b, x, 3, true).backward_error, 1e-16);
  EXPECT_GT(check_solution(a, x, b, x, 3).backward_error, 1e-3);
  b[70] += 1;
  const SolutionCheck check = check_solution(a, x, b, x, 3, true);
  const SolutionCheck expected = check_solution(turned, x, b, x, 3);
  EXPECT_DOUBLE_EQ(check.backward_error, expected.backward_error);
  EXPECT_DOUBLE_EQ(check.relative_residual, expected.relative_residual);
  EXPECT_DOUBLE_EQ(check.componentwise_backward_error, expected.componentwise_backward_error);
}

TEST(Solution, FiguresFollowTheirDefinitions) {
  const std::vector<double> x{1, -1}, b{3, -3};  // residual {1, 0}
  const SolutionCheck check = check_solution(small(), x, b, {}, 1);
  EXPECT_DOUBLE_EQ(check.backward_error, 1.0 / (5 * 1 + 3));
  EXPECT_DOUBLE_EQ(check.relative_residual, 1.0 / 3);
  EXPECT_DOUBLE_EQ(check.componentwise_backward_error, 1.0 / (2 + 3));
  EXPECT_FALSE(check.x_true_norm.has_value());
}

TEST(Solution, TheWorstRightHandSideCounts) {
  const std::vector<double> x{1, -1, 1, -1}, b{2, -3, 3, -3};
  const SolutionCheck check = check_solution(small(), x, b, {}, 2);
  EXPECT_DOUBLE_EQ(check.backward_error, 1.0 / 8);
}

TEST(Solution, AOnePartInABillionPerturbationShows) {
  const CsrMatrix a = test::random_matrix(100, 4, 3);
  std::vector<double> x = make_x_true(100, 1, 1);
  const std::vector<double> b = multiply(a, x, 1);
  EXPECT_LE(check_solution(a, x, b, x, 1).backward_error, 1e-16);
  x[57] += 1e-9;
  const SolutionCheck check = check_solution(a, x, b, x, 1);
  EXPECT_GT(check.backward_error, 1e-11);
  EXPECT_GT(check.componentwise_backward_error, 1e-11);
}

TEST(Solution, CancellationDoesNotHideTheResidual) {
  const CsrMatrix a =
      test::matrix_from_triplets(3, {{0, 0, 1e16}, {0, 1, 1}, {0, 2, -1e16}, {1, 1, 1}, {2, 2, 1}});
  const std::vector<double> x{1, 1, 1};
  EXPECT_EQ(multiply(a, x, 1)[0], 1.0);
}

TEST(Solution, ZeroOverZeroIsZero) {
  const std::vector<double> zero{0, 0};
  const SolutionCheck check = check_solution(small(), zero, zero, zero, 1);
  EXPECT_EQ(check.backward_error, 0);
  EXPECT_EQ(check.relative_residual, 0);
  EXPECT_EQ(check.componentwise_backward_error, 0);
}

TEST(Solution, WhatIsNotFiniteIsInfiniteNeverNan) {
  const std::vector<double> b{2, -3};
  for (const double bad : {nan, inf, -inf}) {
    const SolutionCheck check =
        check_solution(small(), std::vector<double>{bad, 1}, b, std::vector<double>{1, bad}, 1);
    EXPECT_EQ(check.backward_error, inf);
    EXPECT_EQ(check.relative_residual, inf);
    EXPECT_EQ(check.componentwise_backward_error, inf);
    EXPECT_EQ(check.x_norm, inf);
    EXPECT_EQ(check.x_true_norm, inf);
  }
}

TEST(Solution, AnOverflowingNormHidesNothing) {
  const CsrMatrix a = test::matrix_from_triplets(1, {{0, 0, 1e200}});
  const std::vector<double> x{1e200}, b{1};
  EXPECT_NEAR(check_solution(a, x, b, {}, 1).backward_error, 1.0, 1e-12);
}

TEST(Solution, AnEmptySystemIsSolved) {
  const SolutionCheck check = check_solution(test::matrix_from_triplets(0, {}), {}, {}, {}, 1);
  EXPECT_EQ(check.backward_error, 0);
  EXPECT_EQ(check.x_norm, 0);
}

TEST(Solution, SizesThatDoNotFitAreRefused) {
  const std::vector<double> one{1}, two{1, 2};
  EXPECT_THROW(check_solution(small(), one, two, {}, 1), std::invalid_argument);
  EXPECT_THROW(check_solution(small(), two, one, {}, 1), std::invalid_argument);
  EXPECT_THROW(check_solution(small(), two, two, one, 1), std::invalid_argument);
  EXPECT_THROW(multiply(small(), two, 2), std::invalid_argument);
}

TEST(Solution, TrueSolutionsDependOnTheSeedAndKeepTheirFirstColumns) {
  const std::vector<double> one = make_x_true(50, 1, 1), three = make_x_true(50, 3, 1);
  EXPECT_EQ(one, std::vector<double>(three.begin(), three.begin() + 50));
  EXPECT_NE(one, make_x_true(50, 1, 2));
  EXPECT_NE(one, std::vector<double>(three.begin() + 50, three.begin() + 100));
  double low = 0, high = 0;
  for (const double value : three) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_GE(low, -1);
  EXPECT_LT(high, 1);
  EXPECT_LT(low, -0.9);
  EXPECT_GT(high, 0.9);
}

}  // namespace
}  // namespace lufact
