// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/columns/test/dense_elimination.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/pipeline/schedule_safety.hpp"

namespace lufact {
namespace {

using test::Factored;
using test::Harness;
constexpr std::array precisions{Precision::float32, Precision::float64};

double unit(Precision precision) {
  return precision == Precision::float64 ? 0x1p-53 : 0x1p-24;
}

TEST(CpuNumeric, HasTheFactorsOfDenseElimination) {
  for (const auto& named : test::cpu_matrices()) {
    if (!named.dominant) continue;
    const auto b = test::natural_product(named.matrix);
    test::give_scales(*b, 42);
    auto dense = test::scaled_dense(*b);
    test::eliminate_values(dense);
    for (const Precision precision : precisions) {
      SCOPED_TRACE(named.name + " " + std::string(to_string(precision)));
      Harness harness(1, precision);
      const Factored lu = factor(b, harness);
      EXPECT_EQ(lu.factors->figures().perturbed_pivots, 0);
      const std::vector<double> values = lu.values();
      const CsrPattern& rows = lu.column_pattern().rows;
      ASSERT_EQ(Offset(values.size()), rows.nnz());
      const double tolerance = 400 * unit(precision) * b->scaled_norm;
      for (Index i = 0; i < rows.n_rows; ++i) {
        for (Offset p = rows.row_ptr[std::size_t(i)]; p < rows.row_ptr[std::size_t(i) + 1]; ++p) {
          const auto j = std::size_t(rows.col_idx[std::size_t(p)]);
          ASSERT_NEAR(values[std::size_t(p)], double(dense(std::size_t(i), j)), tolerance)
              << i << ' ' << j;
        }
      }
    }
  }
}

void expect_same_bits(const CsrMatrix& matrix, Precision precision) {
  const auto b = test::natural_product(matrix);
  Harness one(1, precision);
  const Factored expected = factor(b, one);
  for (const int threads : {2, 5}) {
    Harness several(threads, precision);
    const Factored lu = factor(b, several);
    EXPECT_EQ(lu.factors->values_sha256(), expected.factors->values_sha256()) << threads;
    EXPECT_EQ(lu.factors->figures().perturbed_pivots, expected.factors->figures().perturbed_pivots);
    EXPECT_EQ(lu.factors->figures().growth, expected.factors->figures().growth);
  }
}

TEST(CpuNumeric, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const auto& named : test::cpu_matrices()) {
    SCOPED_TRACE(named.name);
    for (const Precision precision : precisions) expect_same_bits(named.matrix, precision);
  }
}

TEST(CpuNumeric, GivesTheSameBitsWhereItIsWorthManyThreads) {
  // Nearly dense after fill-in: millions of multiply-adds, so that all threads are used.
  const CsrMatrix matrix = test::random_matrix(400, 8, 11);
  for (const Precision precision : precisions) expect_same_bits(matrix, precision);
}

TEST(CpuNumeric, RefactorGivesTheBitsOfAFreshFactorization) {
  const auto first = test::natural_product(test::random_matrix(150, 4, 21));
  auto second = std::make_shared<PermutedMatrix>(*first);
  for (std::size_t p = 0; p < second->values.size(); ++p) {
    second->values[p] *= 1 + 1e-3 * unit_interval(hash64(9, p));
  }
  for (const Precision precision : precisions) {
    Harness harness(2, precision);
    const Factored lu = factor(first, harness);
    const Factored fresh = factor(second, harness);
    EXPECT_NE(lu.factors->values_sha256(), fresh.factors->values_sha256());
    lu.factors->refactor(second, harness.context);
    EXPECT_EQ(lu.factors->values_sha256(), fresh.factors->values_sha256());
  }
}

TEST(CpuNumeric, RefactorRefusesAnotherPattern) {
  Harness harness;
  const Factored lu = factor(test::natural_product(test::random_matrix(30, 2, 1)), harness);
  const auto other = test::natural_product(test::random_matrix(30, 2, 2));
  EXPECT_THROW(lu.factors->refactor(other, harness.context), std::invalid_argument);
}

TEST(CpuNumeric, ReplacesSmallPivotsByTheirRule) {
  // Row sums 2, 1e-14 and 4; the last pivot becomes exactly zero, the second is negative.
  const auto b = test::natural_product(test::matrix_from_triplets(
      4, {{0, 0, 1}, {0, 3, 1}, {1, 1, -1e-14}, {2, 2, 4}, {3, 0, 1}, {3, 3, 1}}));
  Harness harness;
  const Factored lu = factor(b, harness);
  const double smallest = 1e-13 * 4;
  const FactorFigures figures = lu.factors->figures();
  EXPECT_EQ(figures.perturbed_pivots, 2);
  EXPECT_DOUBLE_EQ(figures.largest_perturbation, smallest);
  const auto& pattern = lu.column_pattern();
  const std::vector<double> values = lu.values();
  EXPECT_DOUBLE_EQ(values[std::size_t(pattern.diagonal[1])], -smallest);
  EXPECT_DOUBLE_EQ(values[std::size_t(pattern.diagonal[3])], smallest);
  EXPECT_DOUBLE_EQ(values[std::size_t(pattern.diagonal[2])], 4);
}

TEST(CpuNumeric, TreatsANegativeZeroPivotAsPositive) {
  const auto b = test::natural_product(test::matrix_from_triplets(2, {{0, 0, -0.0}, {1, 1, 2}}));
  Harness harness;
  EXPECT_GT(factor(b, harness).values()[0], 0);
}

TEST(CpuNumeric, ReportsGrowth) {
  // L(1,0) = 10, U(1,1) = 1 - 10 * 5 = -49; the largest entry of B is 10.
  const auto b = test::natural_product(
      test::matrix_from_triplets(2, {{0, 0, 1}, {0, 1, 5}, {1, 0, 10}, {1, 1, 1}}));
  Harness harness;
  EXPECT_DOUBLE_EQ(factor(b, harness).factors->figures().growth.value(), 4.9);
}

TEST(CpuNumeric, EndsWithFiguresWhenValuesAreNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {inf, std::numeric_limits<double>::quiet_NaN()}) {
    const auto b = test::natural_product(test::random_matrix(60, 3, 4));
    b->values[0] = bad;
    b->scaled_norm = bad;
    Harness harness(3);
    const Factored lu = factor(b, harness);
    EXPECT_FALSE(lu.factors->figures().growth.has_value());
    EXPECT_EQ(lu.factors->values_sha256().size(), 64u);
  }
}

TEST(CpuNumeric, RefusesAScheduleOfTheUnsafeRule) {
  const auto b = test::natural_product(test::glu3_example());
  Harness harness;
  harness.options.dependency = DependencyRule::glu1;
  try {
    factor(b, harness);
    FAIL() << "the schedule was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), unsafe_schedule_code);
  }
  harness.options.force_unsafe = true;
  factor(b, harness);
  ASSERT_EQ(harness.notes.warnings.size(), 1u);
  EXPECT_EQ(harness.notes.warnings[0].code, unsafe_schedule_code);
}

TEST(CpuNumeric, NamesItsSubPhases) {
  Harness harness;
  factor(test::natural_product(test::random_matrix(30, 2, 1)), harness);
  std::vector<std::string> names;
  for (const PhaseTime& phase : harness.phases.take()) names.push_back(phase.name);
  EXPECT_EQ(names, (std::vector<std::string>{"search", "rows", "transpose", "columns"}));
}

}  // namespace
}  // namespace lufact
