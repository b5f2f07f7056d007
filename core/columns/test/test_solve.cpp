// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/columns/host_vectors.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/pipeline/transposed.hpp"

namespace lufact {
namespace {

using test::Factored;
using test::Harness;

HostVectorBlock random_block(Index rows, Index columns, double size) {
  HostVectorBlock block(rows, columns);
  std::uint64_t k = 0;
  for (double& value : block.data()) value = size * symmetric_interval(hash64(77, k++));
  return block;
}

std::vector<double> solve(const Factored& lu, HostVectorBlock x, std::string_view method) {
  lu.factors->solve(x, method);
  return {x.data().begin(), x.data().end()};
}

// Largest component of b - (row_scale B col_scale) x over all columns.
double residual(const PermutedMatrix& b, const HostVectorBlock& rhs, const std::vector<double>& x) {
  const auto n = std::size_t(b.pattern.n_rows);
  double worst = 0;
  for (std::size_t c = 0; c < std::size_t(rhs.columns()); ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      long double sum = rhs.data()[c * n + i];
      for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
        const auto j = std::size_t(b.pattern.col_idx[std::size_t(p)]);
        sum -= static_cast<long double>(b.row_scale[i]) * b.values[std::size_t(p)] *
               b.col_scale[j] * x[c * n + j];
      }
      worst = std::max(worst, std::abs(static_cast<double>(sum)));
    }
  }
  return worst;
}

TEST(CpuSolve, SolvesForSeveralRightHandSidesByEveryMethod) {
  for (const auto& named : test::cpu_matrices()) {
    if (!named.dominant) continue;
    const auto b = test::natural_product(named.matrix);
    test::give_scales(*b, 3);
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      Harness harness(2, precision);
      const Factored lu = factor(b, harness);
      const double tolerance = (precision == Precision::float64 ? 1e-12 : 1e-3);
      for (const Index columns : {0, 1, 3, 8, 19}) {
        SCOPED_TRACE(named.name + " " + std::to_string(columns));
        const HostVectorBlock rhs = random_block(b->pattern.n_rows, columns, 1.0);
        const std::vector<double> x = solve(lu, rhs, "sequential");
        EXPECT_LT(residual(*b, rhs, x), tolerance);
        EXPECT_EQ(solve(lu, rhs, "level"), x);
      }
    }
  }
}

// A solve with L U, and one with its transpose, are adjoint: (y, inverse(LU) x) is the same as
// (inverse((LU)') y, x).
TEST(CpuSolve, SolvesWithTheTransposeByEveryMethod) {
  for (const auto& named : test::cpu_matrices()) {
    if (!named.dominant) continue;
    const auto b = test::natural_product(named.matrix);
    test::give_scales(*b, 3);
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      Harness harness(2, precision);
      const Factored lu = factor(b, harness);
      const auto& factors = dynamic_cast<const TransposedFactors&>(*lu.factors);
      for (const Index columns : {0, 1, 3, 8, 19}) {
        SCOPED_TRACE(named.name + " " + std::to_string(columns));
        const HostVectorBlock rhs = random_block(b->pattern.n_rows, columns, 1.0);
        HostVectorBlock x = rhs, by_level = rhs;
        factors.solve_transposed(x, "sequential");
        factors.solve_transposed(by_level, "level");
        EXPECT_TRUE(std::ranges::equal(x.data(), by_level.data()));
        const std::vector<double> plain = solve(lu, rhs, "sequential");
        for (Index c = 0; c < columns; ++c) {
          double left = 0, right = 0, size = 0;
          for (std::size_t i = 0; i < x.column(c).size(); ++i) {
            const double first = rhs.column(0)[i];
            const double solved = plain[i];  // of column 0
            left += solved * rhs.column(c)[i];
            right += first * x.column(c)[i];
            size += std::abs(solved * rhs.column(c)[i]) + std::abs(first * x.column(c)[i]);
          }
          EXPECT_NEAR(left, right, (precision == Precision::float64 ? 1e-13 : 1e-5) * size);
        }
      }
    }
  }
}

TEST(CpuSolve, ResultDoesNotDependOnThreadsOrOnTheOtherRightHandSides) {
  const auto b = test::natural_product(test::random_matrix(2000, 3, 8));
  Harness one(1);
  const Factored lu = factor(b, one);
  const HostVectorBlock rhs = random_block(b->pattern.n_rows, 11, 1.0);
  const std::vector<double> expected = solve(lu, rhs, "sequential");
  for (const int threads : {2, 5}) {
    Harness several(threads);
    const Factored parallel = factor(b, several);
    EXPECT_EQ(solve(parallel, rhs, "level"), expected);
    EXPECT_EQ(solve(parallel, rhs, "sequential"), expected);
  }
  HostVectorBlock single(b->pattern.n_rows, 1);
  std::copy(rhs.column(9).begin(), rhs.column(9).end(), single.data().begin());
  const std::vector<double> alone = solve(lu, single, "sequential");
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), expected.begin() + 9 * 2000));
}

TEST(CpuSolve, LevelsOfTheSolveOrderTheEntriesThatTheColumnScheduleDoesNot) {
  // L(i, 0) != 0 for every i and U is diagonal: the exact rule puts all columns into one level.
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < 6000; ++i) {
    triplets.push_back({i, i, 2.0});
    if (i > 0) triplets.push_back({i, i - 1, 1.0});
    if (i > 1) triplets.push_back({i, 0, 0.5});
  }
  const auto b = test::natural_product(test::matrix_from_triplets(6000, triplets));
  Harness harness(4);
  const Factored lu = factor(b, harness);
  ASSERT_EQ(product_cast<ColumnSchedule>(*lu.schedule).levels(), 1);
  const HostVectorBlock rhs = random_block(6000, 2, 1.0);
  const std::vector<double> x = solve(lu, rhs, "level");
  EXPECT_LT(residual(*b, rhs, x), 1e-12);
}

TEST(CpuSolve, FollowsARefactorization) {
  const auto b = test::natural_product(test::random_matrix(80, 3, 5));
  Harness harness(2);
  const Factored lu = factor(b, harness);
  const HostVectorBlock rhs = random_block(80, 1, 1.0);
  const std::vector<double> before = solve(lu, rhs, "level");
  const auto doubled = std::make_shared<PermutedMatrix>(*b);
  for (double& value : doubled->values) value *= 2;
  doubled->scaled_norm *= 2;
  lu.factors->refactor(doubled, harness.context);
  const std::vector<double> after = solve(lu, rhs, "level");
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_DOUBLE_EQ(after[i], before[i] / 2);
}

TEST(CpuSolve, FloatFactorsKeepTinyAndHugeVectors) {
  const auto b = test::natural_product(test::random_matrix(50, 3, 6));
  Harness harness(1, Precision::float32);
  const Factored lu = factor(b, harness);
  const std::vector<double> x = solve(lu, random_block(50, 1, 1.0), "sequential");
  for (const double size : {0x1p-200, 0x1p200}) {
    const std::vector<double> scaled = solve(lu, random_block(50, 1, size), "sequential");
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(scaled[i], x[i] * size);
  }
}

TEST(CpuSolve, RefusesAnUnknownMethod) {
  const auto b = test::natural_product(test::random_matrix(5, 2, 6));
  Harness harness;
  const Factored lu = factor(b, harness);
  HostVectorBlock x(5, 1);
  EXPECT_THROW(lu.factors->solve(x, "sync-free"), std::logic_error);
}

}  // namespace
}  // namespace lufact
