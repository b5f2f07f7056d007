// SPDX-License-Identifier: BSD-3-Clause
// Validators by mutation: what the twin makes passes, each single fault is found.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/reference/dense_lu.hpp"
#include "core/verify/validate_dense.hpp"

namespace lufact {
namespace {

template <class Real>
struct Factored {
  Factored(Index rows, Index columns, bool pivoting, std::uint64_t seed = 5)
      : m(rows), n(columns), a(at(Offset{rows} * columns)) {
    for (std::size_t p = 0; p < a.size(); ++p) {
      a[p] = static_cast<Real>(symmetric_interval(hash64(seed, p)));
    }
    for (Index k = 0; k < std::min(m, n) && !pivoting; ++k) a[at(Offset{k} * m + k)] += Real(n);
    factor(pivoting);
  }
  void factor(bool pivoting) {
    lu = a;
    pivots.assign(pivoting ? at(std::min(m, n)) : 0, 0);
    info = pivoting ? reference::dense_lu(m, n, lu.data(), m, pivots.data())
                    : reference::dense_lu_without_pivoting(m, n, lu.data(), m);
  }
  DenseCheck check(bool whole = true) const {
    return validate_dense_lu<Real>({a.data(), m, n, m}, {lu.data(), m, n, m}, pivots, info,
                                   {.largest_whole = whole ? 2048 : 0, .threads = 1});
  }
  bool passes() const {
    const DenseCheck found = check();
    return found.error <= 30 * double{std::numeric_limits<Real>::epsilon()} && !found.wrong_info &&
           (!found.pivots || found.pivots->different == 0);
  }
  Real& at_lu(Index i, Index j) { return lu[at(Offset{j} * m + i)]; }

  Index m, n;
  std::vector<Real> a, lu;
  std::vector<std::int32_t> pivots;
  std::int32_t info = 0;
};

template <class Real>
class ValidateDense : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ValidateDense, Reals);

TYPED_TEST(ValidateDense, WhatTheTwinMakesPasses) {
  for (const auto& [m, n] : {std::pair{1, 1}, {2, 2}, {65, 65}, {200, 200}, {80, 20}, {20, 80}}) {
    for (const bool pivoting : {true, false}) {
      const Factored<TypeParam> made(m, n, pivoting);
      EXPECT_TRUE(made.passes()) << m << " x " << n;
      const DenseCheck check = made.check();
      EXPECT_EQ(check.pivots ? check.pivots->equal : -1, pivoting ? std::min(m, n) : -1);
      EXPECT_GE(check.growth.value(), 0.0);
    }
  }
}

TYPED_TEST(ValidateDense, EveryChangedFactorIsFound) {
  for (const auto& [m, n] : {std::pair{40, 40}, {50, 20}, {20, 50}}) {
    for (Index p = 0; p < 12; ++p) {
      Factored<TypeParam> made(m, n, true);
      made.at_lu(p * 3 % m, p * 7 % n) += TypeParam(0.25);
      EXPECT_FALSE(made.passes()) << m << " x " << n << ", mutation " << p;
    }
  }
}

TYPED_TEST(ValidateDense, AProbeFindsThemToo) {
  Factored<TypeParam> made(600, 600, false);
  const DenseCheck right = made.check(false);
  EXPECT_EQ(right.method, "factors-probe");
  EXPECT_LE(right.error, 30 * double{std::numeric_limits<TypeParam>::epsilon()});
  EXPECT_FALSE(right.pivots.has_value());
  made.at_lu(500, 3) += TypeParam(1);
  EXPECT_GT(made.check(false).error, 30 * double{std::numeric_limits<TypeParam>::epsilon()});
}

TYPED_TEST(ValidateDense, WrongPivotsAreFound) {
  Factored<TypeParam> made(30, 30, true);
  made.pivots[3] = made.pivots[3] == 30 ? 29 : made.pivots[3] + 1;
  EXPECT_FALSE(made.passes());
  made = Factored<TypeParam>(30, 30, true);
  made.pivots[7] = 7;  // before its own row
  EXPECT_FALSE(made.passes());
  made.pivots[7] = 31;
  EXPECT_FALSE(made.passes());
}

// Right factors of right exchanges that are not those of partial pivoting.
TYPED_TEST(ValidateDense, ExchangesThatTakeASmallerPivotAreFound) {
  Factored<TypeParam> made(30, 30, false);
  for (Index i = 1; i < 30; ++i) made.a[at(i)] *= TypeParam(100);  // multipliers above 1
  made.factor(false);
  made.pivots.resize(30);
  for (Index k = 0; k < 30; ++k) made.pivots[at(k)] = k + 1;
  const DenseCheck check = made.check();
  EXPECT_GT(check.pivots.value().different, 0);
}

TYPED_TEST(ValidateDense, OfExactlyEqualCandidatesTheFirst) {
  Factored<TypeParam> made(3, 3, true);
  made.a = {2, -2, 1, 1, 5, 3, 4, 1, 7};
  made.factor(true);
  EXPECT_TRUE(made.passes());
  std::swap(made.a[0], made.a[1]);  // the same factors with the second of the two
  std::swap(made.a[3], made.a[4]);
  std::swap(made.a[6], made.a[7]);
  const std::int32_t second = made.pivots[0] == 1 ? 2 : 1;
  made.pivots[0] = second;
  EXPECT_LE(made.check().error, 30 * double{std::numeric_limits<TypeParam>::epsilon()});
  EXPECT_EQ(made.check().pivots.value().different, 1);
}

TYPED_TEST(ValidateDense, InfoIsTheFirstZeroOfU) {
  Factored<TypeParam> made(20, 20, true);
  for (Index i = 0; i < 20; ++i) made.a[at(Offset{11} * 20 + i)] = 0;
  made.factor(true);
  EXPECT_EQ(made.info, 12);
  EXPECT_TRUE(made.passes());
  made.info = 0;
  EXPECT_FALSE(made.passes());
  made.info = 13;
  EXPECT_FALSE(made.passes());
}

TYPED_TEST(ValidateDense, ResultsThatAreNotFiniteAreFound) {
  Factored<TypeParam> made(20, 20, true);
  made.at_lu(5, 4) = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_EQ(made.check().error, std::numeric_limits<double>::infinity());
  made = Factored<TypeParam>(20, 20, true);
  made.a[17] = std::numeric_limits<TypeParam>::infinity();
  const DenseCheck check = made.check();
  EXPECT_TRUE(check.nonfinite);
  EXPECT_FALSE(check.judged_error);
}

TYPED_TEST(ValidateDense, Solutions) {
  const Index n = 40, rhs = 3;
  const Factored<TypeParam> made(n, n, true);
  std::vector<TypeParam> b(at(n * rhs));
  for (std::size_t p = 0; p < b.size(); ++p)
    b[p] = static_cast<TypeParam>(0.1 + static_cast<double>(p % 7));
  std::vector<TypeParam> x = b;
  reference::dense_solve(n, made.lu.data(), n, made.pivots.data(), rhs, x.data(), n);
  const auto check = [&](std::int32_t info) {
    return validate_dense_solution<TypeParam>({made.a.data(), n, n, n}, {b.data(), n, rhs, n},
                                              {x.data(), n, rhs, n}, info, {});
  };
  const double threshold = 30 * n * double{std::numeric_limits<TypeParam>::epsilon()};
  EXPECT_LE(check(0).error, threshold);
  EXPECT_TRUE(check(-1).wrong_info);
  EXPECT_TRUE(check(n + 1).wrong_info);
  EXPECT_TRUE(check(2).wrong_not_nan);
  x[at(2 * n + 5)] += TypeParam(1);
  EXPECT_GT(check(0).error, threshold);
  std::ranges::fill(x, std::numeric_limits<TypeParam>::quiet_NaN());
  EXPECT_EQ(check(0).error, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(check(2).wrong_not_nan);
}

TEST(ValidateDense, HugeAndTinyNumbersAreJudgedAsOthers) {
  for (const double factor : {0x1.0p-1000, 0x1.0p+1000}) {
    Factored<double> made(50, 50, true);
    for (double& value : made.a) value *= factor;
    made.factor(true);
    EXPECT_TRUE(made.passes()) << factor;
    made.at_lu(3, 30) *= 1.5;
    EXPECT_FALSE(made.passes()) << factor;
  }
}

}  // namespace
}  // namespace lufact
