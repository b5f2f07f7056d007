// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "core/reference/levelize.hpp"
#include "core/reference/numeric.hpp"
#include "core/reference/symbolic.hpp"
#include "core/reference/triangular_solve.hpp"
#include "core/verify/solution.hpp"
#include "core/verify/test/test_support.hpp"
#include "core/verify/validate_factors.hpp"

namespace lufact::reference {
namespace {

using test::NamedMatrix;

constexpr DependencyRule all_rules[] = {DependencyRule::glu1, DependencyRule::exact,
                                        DependencyRule::relaxed};

double u33(const ColumnPattern& pattern, const Factors& factors) {
  return factors.values[static_cast<std::size_t>(pattern.diagonal[2])];
}

TEST(ReferenceSymbolic, PathSearchAndRowMergeAgreeOnEveryNamedMatrix) {
  for (const NamedMatrix& named : test::named_matrices()) {
    const PermutedMatrix b = test::natural_order(named.matrix);
    const ColumnPattern searched = fill2(b.pattern), merged = row_merge(b.pattern);
    EXPECT_EQ(searched.rows.row_ptr, merged.rows.row_ptr) << named.name;
    EXPECT_EQ(searched.rows.col_idx, merged.rows.col_idx) << named.name;
    EXPECT_EQ(searched.diagonal, merged.diagonal) << named.name;
  }
}

TEST(ReferenceSymbolic, AnArrowFillsCompletelyOrNotAtAll) {
  for (const NamedMatrix& named : test::named_matrices()) {
    const PermutedMatrix b = test::natural_order(named.matrix);
    if (named.name == "arrow_full_fill") {
      EXPECT_EQ(fill2(b.pattern).rows.nnz(), 33 * 33);
    }
    if (named.name == "arrow_no_fill") {
      EXPECT_EQ(fill2(b.pattern).rows.nnz(), b.pattern.nnz());
    }
  }
}

TEST(ReferenceLevelize, Glu3ExampleHasTheLevelsOfTheSlides) {
  const ColumnPattern pattern = fill2(test::natural_order(test::glu3_example()).pattern);
  EXPECT_EQ(levelize(pattern, DependencyRule::glu1).level_of, (std::vector<Index>{0, 0, 1}));
  EXPECT_EQ(levelize(pattern, DependencyRule::exact).level_of, (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(levelize(pattern, DependencyRule::relaxed).level_of, (std::vector<Index>{0, 1, 2}));
}

TEST(ReferenceLevelize, ARuleThatAsksForMoreHasNoFewerLevels) {
  for (const NamedMatrix& named : test::named_matrices()) {
    const ColumnPattern pattern = fill2(test::natural_order(named.matrix).pattern);
    const Index glu1 = levelize(pattern, DependencyRule::glu1).levels();
    const Index exact = levelize(pattern, DependencyRule::exact).levels();
    const Index relaxed = levelize(pattern, DependencyRule::relaxed).levels();
    EXPECT_LE(glu1, exact) << named.name;
    EXPECT_LE(exact, relaxed) << named.name;
  }
}

TEST(ReferenceNumeric, DescendingLevelsBreakGlu1AndNothingElse) {
  const PermutedMatrix b = test::natural_order(test::glu3_example());
  const ColumnPattern pattern = fill2(b.pattern);
  const StaticPivoting no_pivoting{0.0};
  EXPECT_EQ(u33(pattern, right_looking(b, pattern, no_pivoting)), 1.0);
  for (const DependencyRule rule : all_rules) {
    const Factors factors =
        right_looking_by_levels_descending(b, pattern, levelize(pattern, rule), no_pivoting);
    EXPECT_EQ(u33(pattern, factors), rule == DependencyRule::glu1 ? 0.0 : 1.0);
  }
}

TEST(ReferenceNumeric, FactorsOfEveryDominantMatrixMultiplyBackInBothPrecisions) {
  for (const NamedMatrix& named : test::named_matrices()) {
    if (!named.dominant) continue;
    const PermutedMatrix b = test::natural_order(named.matrix);
    const ColumnPattern pattern = fill2(b.pattern);
    for (const Precision precision : {Precision::float64, Precision::float32}) {
      const Factors factors = right_looking(b, pattern, {1e-13, precision});
      EXPECT_EQ(factors.perturbed_pivots, 0) << named.name;
      const FactorsCheck check = check_factors(b, pattern, factors.values, precision, 0.0);
      EXPECT_TRUE(check.verdict.passed) << named.name << ": " << check.verdict.message;
    }
  }
}

TEST(ReferenceNumeric, SafeSchedulesInDescendingOrderGiveFactorsThatMultiplyBack) {
  for (const NamedMatrix& named : test::named_matrices()) {
    if (!named.dominant) continue;
    const PermutedMatrix b = test::natural_order(named.matrix);
    const ColumnPattern pattern = fill2(b.pattern);
    for (const DependencyRule rule : {DependencyRule::exact, DependencyRule::relaxed}) {
      const Factors factors =
          right_looking_by_levels_descending(b, pattern, levelize(pattern, rule), {});
      const FactorsCheck check = check_factors(b, pattern, factors.values, Precision::float64, 0.0);
      EXPECT_TRUE(check.verdict.passed) << named.name << ": " << check.verdict.message;
    }
  }
}

TEST(ReferenceNumeric, SmallPivotsAreReplacedKeepTheirSignAndAreCounted) {
  const CsrMatrix a =
      test::matrix_from_triplets(4, {{0, 0, 0}, {1, 1, -1e-20}, {2, 2, 1e-20}, {3, 3, 8}});
  PermutedMatrix b = test::natural_order(a);
  b.values[0] = -0.0;  // zero counts as positive, whatever its sign bit
  const ColumnPattern pattern = fill2(b.pattern);
  const Factors factors = right_looking(b, pattern, {0.125});
  EXPECT_EQ(factors.values, (std::vector<double>{1, -1, 1, 8}));
  EXPECT_EQ(factors.perturbed_pivots, 3);
  EXPECT_EQ(factors.largest_perturbation, 1.0);
  EXPECT_EQ(factors.growth, 1.0);
}

TEST(ReferenceNumeric, ScalingsGoIntoTheFactors) {
  PermutedMatrix b = test::natural_order(
      test::matrix_from_triplets(2, {{0, 0, 4}, {0, 1, 2}, {1, 0, 1}, {1, 1, 3}}));
  b.row_scale = {0.5, 2};
  b.col_scale = {2, 1};
  const Factors factors = right_looking(b, fill2(b.pattern), {});  // {{4, 1}, {4, 6}}
  EXPECT_EQ(factors.values, (std::vector<double>{4, 1, 1, 5}));
}

TEST(ReferenceSolve, SolvesSeveralRightHandSides) {
  const CsrMatrix a = test::random_matrix(65, 4, 23);
  const PermutedMatrix b = test::natural_order(a);
  const ColumnPattern pattern = fill2(b.pattern);
  const Factors factors = right_looking(b, pattern, {});
  const std::vector<double> x_true = make_x_true(65, 3, 5);
  const std::vector<double> rhs = multiply(a, x_true, 3);
  std::vector<double> x = rhs;
  solve(pattern, factors.values, x, 3);
  EXPECT_LE(check_solution(a, x, rhs, x_true, 3).backward_error, 1e-15);
}

}  // namespace
}  // namespace lufact::reference
