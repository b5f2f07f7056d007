// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <new>

#include "core/matrix/test/failing_allocations.hpp"
#include "core/reference/numeric.hpp"
#include "core/reference/symbolic.hpp"
#include "core/verify/test/test_support.hpp"
#include "core/verify/validate_factors.hpp"

namespace lufact {
namespace {

using testing::HasSubstr;

struct Case {
  PermutedMatrix b;
  ColumnPattern pattern;
  std::vector<double> values;
};

Case factored(Precision precision) {
  Case c;
  c.b = test::natural_order(test::random_matrix(60, 3, 31));
  for (std::size_t i = 0; i < 60; ++i) {
    c.b.row_scale[i] = std::ldexp(1.5, static_cast<int>(i) % 7 - 3);
    c.b.col_scale[i] = std::ldexp(1.25, static_cast<int>(i) % 5 - 2);
  }
  c.pattern = reference::fill2(c.b.pattern);
  c.values = reference::right_looking(c.b, c.pattern, {0.0, precision}).values;
  return c;
}

TEST(FactorsValidator, RejectsEveryPerturbedEntryInBothPrecisions) {
  for (const auto& [precision, change] :
       {std::pair{Precision::float64, 1e-11}, {Precision::float32, 1e-3}}) {
    const Case c = factored(precision);
    const FactorsCheck right = check_factors(c.b, c.pattern, c.values, precision, 0);
    EXPECT_TRUE(right.verdict.passed) << right.verdict.message;
    for (std::size_t p = 0; p < c.values.size(); ++p) {
      std::vector<double> wrong = c.values;
      wrong[p] += change * c.b.scaled_norm;
      const FactorsCheck check = check_factors(c.b, c.pattern, wrong, precision, 0);
      EXPECT_FALSE(check.verdict.passed) << "entry " << p;
      EXPECT_GT(check.relative_error, right.relative_error) << "entry " << p;
    }
  }
}

TEST(FactorsValidator, LetsAFailedAllocationOutOfItsRegion) {
  const Case c = factored(Precision::float64);
  omp_set_num_threads(2);
  const test::NoMemoryInRegions no_memory;
  EXPECT_THROW(check_factors(c.b, c.pattern, c.values, Precision::float64, 0), std::bad_alloc);
}

TEST(FactorsValidator, FloatFactorsAreNoDoubleFactors) {
  const Case c = factored(Precision::float32);
  EXPECT_FALSE(check_factors(c.b, c.pattern, c.values, Precision::float64, 0).verdict.passed);
}

TEST(FactorsValidator, NamesTheWorstRow) {
  Case c = factored(Precision::float64);
  c.values[static_cast<std::size_t>(c.pattern.diagonal[59])] *= 2;
  EXPECT_THAT(check_factors(c.b, c.pattern, c.values, Precision::float64, 0).verdict.message,
              HasSubstr("row 59 of S - LU"));
}

TEST(FactorsValidator, AllowsWhatStaticPivotingAdded) {
  const PermutedMatrix b =
      test::natural_order(test::matrix_from_triplets(2, {{0, 1, 1}, {1, 0, 1}, {1, 1, 1}}));
  const ColumnPattern pattern = reference::fill2(b.pattern);
  const reference::Factors factors = reference::right_looking(b, pattern, {1e-8});
  ASSERT_EQ(factors.perturbed_pivots, 1);
  EXPECT_FALSE(check_factors(b, pattern, factors.values, Precision::float64, 0).verdict.passed);
  EXPECT_TRUE(
      check_factors(b, pattern, factors.values, Precision::float64, factors.largest_perturbation)
          .verdict.passed);
}

TEST(FactorsValidator, RejectsWhatIsNotFiniteOrHasTheWrongSize) {
  const double bad_values[] = {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()};
  for (const double bad : bad_values) {
    Case c = factored(Precision::float64);
    c.values[7] = bad;
    const FactorsCheck check = check_factors(c.b, c.pattern, c.values, Precision::float64, 0);
    EXPECT_FALSE(check.verdict.passed);
    EXPECT_EQ(check.relative_error, std::numeric_limits<double>::infinity());
  }
  Case c = factored(Precision::float64);
  c.values.pop_back();
  EXPECT_FALSE(check_factors(c.b, c.pattern, c.values, Precision::float64, 0).verdict.passed);
}

}  // namespace
}  // namespace lufact
