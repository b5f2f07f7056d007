// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.hpp"
#include "core/reference/dense_lu.hpp"
#include "core/verify/validate_batch.hpp"

namespace lufact {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A matrix with a right result, made by the sequential twin in `Real`.
template <class Real>
struct Case {
  Case(ArrayOperation what, Index order, std::vector<double> matrix) : n(order), operation(what) {
    for (const double value : matrix) a.push_back(double{static_cast<Real>(value)});
    if (operation == ArrayOperation::solve) {
      for (Index p = 0; p < 2 * n; ++p) b.push_back(double{static_cast<Real>(0.5 + p % 3)});
    }
    std::vector<Real> lu(a.begin(), a.end()), values(b.begin(), b.end());
    pivots.resize(at(n));
    info = reference::dense_lu(n, n, lu.data(), n, pivots.data());
    if (operation == ArrayOperation::lu) values = lu;
    if (operation == ArrayOperation::inverse) {
      values.resize(lu.size());
      reference::dense_inverse(n, lu.data(), n, pivots.data(), values.data(), n);
    }
    if (operation == ArrayOperation::solve) {
      reference::dense_solve(n, lu.data(), n, pivots.data(), 2, values.data(), n);
    }
    result.assign(values.begin(), values.end());
    if (operation != ArrayOperation::lu && info > 0) std::ranges::fill(result, nan);
  }

  MatrixVerdict verdict(bool replay = true, bool own_result = true) const {
    const auto precision = sizeof(Real) == 4 ? Precision::float32 : Precision::float64;
    return validate_matrix({.operation = operation,
                            .precision = precision,
                            .n = n,
                            .rhs = operation == ArrayOperation::solve ? 2 : 0,
                            .a = a,
                            .b = b,
                            .result = result,
                            .pivots = pivots,
                            .info = info},
                           replay, own_result);
  }

  bool passes(bool replay = true) const {
    const auto precision = sizeof(Real) == 4 ? Precision::float32 : Precision::float64;
    const MatrixVerdict found = verdict(replay);
    return found.error <= batch_threshold(operation, precision, n) && !found.wrong_info &&
           !found.wrong_not_nan && found.pivots != PivotVerdict::different;
  }

  Index n;
  ArrayOperation operation;
  std::vector<double> a, b, result;
  std::vector<std::int32_t> pivots;
  std::int32_t info = 0;
};

std::vector<double> random_matrix(Index n, std::uint64_t seed) {
  std::vector<double> a(at(n * n));
  for (std::size_t p = 0; p < a.size(); ++p) a[p] = symmetric_interval(hash64(seed, p));
  return a;
}

std::vector<double> with_zero_column(Index n, Index column) {
  std::vector<double> a = random_matrix(n, 5);
  std::fill_n(a.begin() + column * n, n, 0.0);
  return a;
}

constexpr ArrayOperation operations[] = {ArrayOperation::lu, ArrayOperation::inverse,
                                         ArrayOperation::solve};

template <class Real>
class ValidateBatch : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ValidateBatch, Reals);

TYPED_TEST(ValidateBatch, TheTwinsResultsPass) {
  for (const ArrayOperation operation : operations) {
    for (const Index n : {1, 2, 7, 32, 64}) {
      const Case<TypeParam> right(operation, n, random_matrix(n, 1));
      EXPECT_TRUE(right.passes()) << to_string(operation) << n << " " << right.verdict().error;
      EXPECT_EQ(right.verdict().pivots, PivotVerdict::equal);
      EXPECT_TRUE(right.passes(false));
      const Case<TypeParam> singular(operation, n, with_zero_column(n, n / 2));
      EXPECT_EQ(singular.info, n / 2 + 1);
      EXPECT_TRUE(singular.passes());
    }
  }
}

TYPED_TEST(ValidateBatch, OneWrongEntryIsFound) {
  const double change = 1e4 * double{std::numeric_limits<TypeParam>::epsilon()};
  for (const ArrayOperation operation : operations) {
    const Case<TypeParam> right(operation, 9, random_matrix(9, 2));
    const double size = std::abs(*std::ranges::max_element(
        right.result, [](double x, double y) { return std::abs(x) < std::abs(y); }));
    for (std::size_t p = 0; p < right.result.size(); ++p) {
      Case<TypeParam> wrong = right;
      wrong.result[p] += change * size;
      EXPECT_FALSE(wrong.passes(false)) << to_string(operation) << p;
      for (const double value : {nan, inf}) {
        wrong.result[p] = value;
        EXPECT_EQ(wrong.verdict(false).error, inf);
      }
    }
  }
}

TYPED_TEST(ValidateBatch, OneWrongPivotIsFound) {
  for (const ArrayOperation operation : operations) {
    const Case<TypeParam> right(operation, 9, random_matrix(9, 3));
    for (Index k = 0; k < 8; ++k) {
      Case<TypeParam> wrong = right;
      wrong.pivots[at(k)] = right.pivots[at(k)] == k + 1 ? k + 2 : k + 1;
      EXPECT_EQ(wrong.verdict().pivots, PivotVerdict::different);
      if (operation == ArrayOperation::lu) {
        EXPECT_FALSE(wrong.passes(false)) << k;
      }
    }
    for (const std::int32_t row : {0, -1, 10}) {
      Case<TypeParam> wrong = right;
      wrong.pivots[8] = row;
      EXPECT_EQ(wrong.verdict(false).pivots, PivotVerdict::different);
      EXPECT_EQ(wrong.verdict(false).error, inf);
    }
  }
}

TYPED_TEST(ValidateBatch, OneWrongInfoIsFound) {
  for (const ArrayOperation operation : operations) {
    const Case<TypeParam> regular(operation, 9, random_matrix(9, 4));
    const Case<TypeParam> singular(operation, 9, with_zero_column(9, 4));
    for (std::int32_t info = -1; info <= 10; ++info) {
      for (Case<TypeParam> wrong : {regular, singular}) {
        if (info == wrong.info) continue;
        wrong.info = info;
        EXPECT_TRUE(wrong.verdict().wrong_info) << to_string(operation) << info;
      }
    }
  }
}

TYPED_TEST(ValidateBatch, ExchangedMatricesAreFound) {
  for (const ArrayOperation operation : operations) {
    const Case<TypeParam> one(operation, 5, random_matrix(5, 6));
    Case<TypeParam> other(operation, 5, random_matrix(5, 7));
    other.a = one.a;
    EXPECT_FALSE(other.passes(false)) << to_string(operation);
  }
}

TYPED_TEST(ValidateBatch, ANumberInTheResultOfASingularMatrixIsFound) {
  for (const ArrayOperation operation : {ArrayOperation::inverse, ArrayOperation::solve}) {
    Case<TypeParam> wrong(operation, 5, with_zero_column(5, 2));
    EXPECT_FALSE(wrong.verdict().wrong_not_nan);
    wrong.result[3] = 1;
    EXPECT_TRUE(wrong.verdict().wrong_not_nan);
    EXPECT_FALSE(wrong.verdict(true, false).wrong_not_nan);  // of a library
  }
}

TYPED_TEST(ValidateBatch, NothingIsJudgedWhereTheInputIsNotFinite) {
  for (const double value : {nan, inf, -inf}) {
    Case<TypeParam> some(ArrayOperation::lu, 3, random_matrix(3, 8));
    some.a[4] = value;
    const MatrixVerdict found = some.verdict();
    EXPECT_TRUE(found.nonfinite);
    EXPECT_EQ(found.error, 0);
    EXPECT_FALSE(found.pivots);
  }
}

TYPED_TEST(ValidateBatch, NumbersAtTheEndsOfTheRange) {
  const double least = double{std::numeric_limits<TypeParam>::min()};
  const double largest = double{std::numeric_limits<TypeParam>::max()};
  for (const double size : {least * 1e-3, least, 1e3 * least, largest / 1e3}) {
    for (const ArrayOperation operation : operations) {
      std::vector<double> a = random_matrix(6, 9);
      for (double& value : a) value *= size;
      const Case<TypeParam> right(operation, 6, a);
      EXPECT_TRUE(right.passes()) << to_string(operation) << size << " " << right.verdict().error;
    }
  }
}

TYPED_TEST(ValidateBatch, AnInverseBeyondTheRangeMayBeInfinite) {
  const double least = double{std::numeric_limits<TypeParam>::min()};
  Case<TypeParam> some(ArrayOperation::inverse, 1, {least / 64});
  EXPECT_EQ(some.result.front(), inf);
  EXPECT_EQ(some.verdict().error, 0);
}

// x1 = b1 + 4 x2 - 4 x3 stays in the range if the last term comes first, as in the twin.
TYPED_TEST(ValidateBatch, SumsThatLeaveTheRangeInAnotherOrderMayBeInfinite) {
  const double large = 0.9 * double{std::numeric_limits<TypeParam>::max()};
  Case<TypeParam> some(ArrayOperation::solve, 3, {1, 0, 0, -4, 1, 0, 4, 0, 1});
  for (double& value : some.b) value = double{static_cast<TypeParam>(large / 4)};
  for (double& value : some.result) value = inf;
  EXPECT_EQ(some.verdict().error, 0);
  for (double& value : some.b) value = 1;
  EXPECT_EQ(some.verdict().error, inf);
}

TEST(ValidateBatchFormulas, FollowTheirDefinitions) {
  // A = {{2, 0}, {1, 4}} by columns; its 1-norm is 4, its infinity norm 5.
  Case<double> lu(ArrayOperation::lu, 2, {2, 1, 0, 4});
  lu.result[3] += 0.5;
  EXPECT_DOUBLE_EQ(lu.verdict().error, 0.5 / (2 * 4));
  // Inverse {{1/2, 0}, {-1/8, 1/4}}.
  Case<double> inverse(ArrayOperation::inverse, 2, {2, 1, 0, 4});
  inverse.result[3] = 0.5;
  EXPECT_DOUBLE_EQ(inverse.verdict().error, 1 / (2 * 4 * 0.625));
  Case<double> solve(ArrayOperation::solve, 2, {2, 1, 0, 4});
  solve.b = {2, -3, 2, -3};
  solve.result = {1, -1, 1, -1};
  EXPECT_EQ(solve.verdict().error, 0);
  solve.b = {2, -3, 3, -3};
  EXPECT_DOUBLE_EQ(solve.verdict().error, 1.0 / (5 * 1 + 3));
}

TEST(BatchCheck, AddsVerdicts) {
  BatchCheck check, later;
  MatrixVerdict bad;
  bad.error = 2;
  bad.wrong_info = true;
  bad.pivots = PivotVerdict::tied;
  add_verdict(check, 3, 0, {});
  add_verdict(check, 4, 7, bad);
  bad.error = 3;
  bad.pivots = PivotVerdict::different;
  add_verdict(later, 9, 1, bad);
  add_check(check, later);
  EXPECT_EQ(check.checked, 3);
  EXPECT_EQ(check.worst_error, 3);
  EXPECT_EQ(check.worst_matrix, 9);
  EXPECT_EQ(check.wrong_info, 2);
  EXPECT_EQ(check.info.zero_pivots, 2);
  EXPECT_EQ(check.info.first, 4);
  EXPECT_EQ(check.pivots.checked, 2);
  EXPECT_EQ(check.pivots.tied, 1);
  EXPECT_EQ(check.pivots.different, 1);
  EXPECT_EQ(check.pivots.equal, 0);
}

}  // namespace
}  // namespace lufact
