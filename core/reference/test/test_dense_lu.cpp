// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/reference/dense_lu.hpp"

namespace lufact {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Factors {
  std::vector<double> lu;
  std::vector<std::int32_t> pivots;
  std::int32_t info = 0;
};

// `a` by columns.
Factors factors_of(Index m, Index n, std::vector<double> a) {
  Factors factors{std::move(a), std::vector<std::int32_t>(at(std::min(m, n))), 0};
  factors.info = reference::dense_lu(m, n, factors.lu.data(), m, factors.pivots.data());
  return factors;
}

TEST(DenseLu, OfASmallMatrix) {
  // 1 2      3 4            1    0   3  4
  // 3 4, P A 1 2,       L   1/3  1   0  2/3
  const Factors factors = factors_of(2, 2, {1, 3, 2, 4});
  EXPECT_EQ(factors.pivots, (std::vector<std::int32_t>{2, 2}));
  EXPECT_EQ(factors.info, 0);
  const double third = 1.0 / 3;
  EXPECT_EQ(factors.lu, (std::vector<double>{3, third, 4, 2 - third * 4}));
}

TEST(DenseLu, TheFirstOfEqualCandidatesInTheirCurrentOrder) {
  // Step 1 takes row 3 (of rows 3 and 4), which sends row 1 to place 3; in step 2 rows 2 and 3 are
  // 2 and -2: row 2.
  const Factors factors = factors_of(4, 2, {0, 0, 5, -5, 2, 2, 0, 0});
  EXPECT_EQ(factors.pivots, (std::vector<std::int32_t>{3, 2}));
}

TEST(DenseLu, AZeroPivotIsKeptAndTheFactorizationGoesOn) {
  // Columns 1 and 2 equal; exact in binary.
  const Factors factors = factors_of(3, 3, {2, 1, 1, 2, 1, 1, 1, 3, 5});
  EXPECT_EQ(factors.info, 2);
  EXPECT_EQ(factors.pivots, (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_EQ(factors.lu, (std::vector<double>{2, 0.5, 0.5, 2, 0, 0, 1, 2.5, 4.5}));
}

TEST(DenseLu, TheFirstZeroPivotCounts) {
  const Factors factors = factors_of(3, 3, std::vector<double>(9, 0.0));
  EXPECT_EQ(factors.info, 1);
  EXPECT_EQ(factors.pivots, (std::vector<std::int32_t>{1, 2, 3}));
}

TEST(DenseLu, NanIsThePivotOnlyInItsOwnRow) {
  EXPECT_EQ(factors_of(2, 1, {nan, 1}).pivots.front(), 1);
  EXPECT_EQ(factors_of(2, 1, {nan, 1}).info, 0);
  EXPECT_EQ(factors_of(3, 1, {1, nan, 2}).pivots.front(), 3);
  EXPECT_EQ(factors_of(2, 1, {0, nan}).info, 1);
}

TEST(DenseLu, ASubnormalPivotHasNoReciprocal) {
  const double tiny = 0x1.0p-1030;
  const Factors factors = factors_of(2, 1, {tiny, tiny / 2});
  EXPECT_EQ(factors.lu, (std::vector<double>{tiny, 0.5}));
}

TEST(DenseLu, WideAndTallMatrices) {
  const Factors wide = factors_of(1, 3, {2, 4, 6});
  EXPECT_EQ(wide.pivots, (std::vector<std::int32_t>{1}));
  EXPECT_EQ(wide.lu, (std::vector<double>{2, 4, 6}));
  const Factors tall = factors_of(3, 1, {2, 4, 1});
  EXPECT_EQ(tall.pivots, (std::vector<std::int32_t>{2}));
  EXPECT_EQ(tall.lu, (std::vector<double>{4, 0.5, 0.25}));
}

// (P A - L U)(i, j) of an m x n matrix.
double residual(Index m, const Factors& factors, const std::vector<double>& permuted, Index i,
                Index j) {
  const auto lu = [&](Index row, Index column) { return factors.lu[at(column * m + row)]; };
  double sum = permuted[at(j * m + i)];
  const auto steps = static_cast<Index>(factors.pivots.size());
  for (Index k = 0; k < steps && k <= std::min(i, j); ++k) {
    sum -= (k == i ? 1.0 : lu(i, k)) * lu(k, j);
  }
  return sum;
}

TEST(DenseLu, FactorsMultiplyToThePermutedMatrix) {
  for (const auto& [m, n] : {std::pair{7, 7}, {5, 9}, {9, 5}, {1, 1}, {40, 40}}) {
    std::vector<double> a(at(m * n));
    for (std::size_t p = 0; p < a.size(); ++p) a[p] = symmetric_interval(hash64(3, p));
    const Factors factors = factors_of(m, n, a);
    for (std::size_t k = 0; k < factors.pivots.size(); ++k) {
      const auto row = static_cast<Index>(k), other = factors.pivots[k] - 1;
      ASSERT_GE(other, row);
      for (Index j = 0; j < n; ++j) std::swap(a[at(j * m + row)], a[at(j * m + other)]);
    }
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) EXPECT_NEAR(residual(m, factors, a, i, j), 0, 1e-14);
    }
  }
}

TEST(DenseLu, SolutionAndInverse) {
  // 0 2      inverse -1/2 1        x of b = (2, 1): 0, 1
  // 1 1               1/2 0
  const Factors factors = factors_of(2, 2, {0, 1, 2, 1});
  std::vector<double> x{2, 1, 0, 1}, inverse(4);
  reference::dense_solve(2, factors.lu.data(), 2, factors.pivots.data(), 2, x.data(), 2);
  EXPECT_EQ(x, (std::vector<double>{0, 1, 1, 0}));
  reference::dense_inverse(2, factors.lu.data(), 2, factors.pivots.data(), inverse.data(), 2);
  EXPECT_EQ(inverse, (std::vector<double>{-0.5, 0.5, 1, 0}));
}

TEST(DenseLu, TheInverseHasTheBitsOfSolvesWithColumnsOfTheIdentity) {
  constexpr Index n = 9;
  std::vector<double> a(n * n), inverse(n * n), identity(n * n, 0.0);
  for (std::size_t p = 0; p < a.size(); ++p) a[p] = symmetric_interval(hash64(4, p));
  for (Index k = 0; k < n; ++k) identity[at(k * n + k)] = 1;
  const Factors factors = factors_of(n, n, a);
  reference::dense_inverse(n, factors.lu.data(), n, factors.pivots.data(), inverse.data(), n);
  reference::dense_solve(n, factors.lu.data(), n, factors.pivots.data(), n, identity.data(), n);
  EXPECT_EQ(inverse, identity);
}

}  // namespace
}  // namespace lufact
