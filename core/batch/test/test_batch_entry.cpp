// SPDX-License-Identifier: BSD-3-Clause
// Generated entries: the same bits everywhere, and the properties that each kind promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "core/base/sha256.hpp"
#include "core/batch/batch_entry.hpp"
#include "core/batch/test/small_lu.hpp"

namespace lufact {
namespace {

using namespace test;

template <class T = double>
std::vector<T> matrix(BatchKind kind, Index n, Offset k, std::uint64_t seed = 1) {
  std::vector<T> a;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) a.push_back(static_cast<T>(batch_entry(kind, seed, n, k, i, j)));
  }
  return a;
}

bool all_finite(const std::vector<double>& a) {
  return std::ranges::all_of(a, [](double value) { return std::isfinite(value); });
}
bool all_finite(const std::vector<float>& a) {
  return std::ranges::all_of(a, [](float value) { return std::isfinite(value); });
}

std::string hash_of(BatchKind kind) {
  Sha256 hash;
  for (const Index n : {1, 2, 7, 16, 64}) {
    for (const Offset k : {0, 1, 2, 3, 5, 7, 9, 11, 13, 15, 1000, 2000, 3000, 70000}) {
      const std::vector<double> a = matrix(kind, n, k, 42);
      hash.update(std::span<const double>(a));
    }
  }
  return hash.finish();
}

TEST(BatchEntry, HasTheSameBitsEverywhere) {
  const std::map<BatchKind, std::string> golden{
      {BatchKind::random, "25d7129e13940c2c52a8973636aff6bc670696665c37814b52716137e8cdde0a"},
      {BatchKind::dominant, "91b01def80d1522d761d6057308bf650d1bb88e62bb47be279c1697f1ce14997"},
      {BatchKind::graded, "1efd754e863cb7c6b27f8c1a68976d5a660f859710696bc3497fb9482b829330"},
      {BatchKind::ties, "5472681bd1b87ad66528652585e22609d2180da73e1ab94f1a22b658fa2039c5"},
      {BatchKind::near_singular,
       "4de8b38e90ba74e2f3dbd55b0fc4ba5aea8c3da0cc691ea76680ffbdf6cd1f44"},
      {BatchKind::singular, "26d59d57a8a80642622ffb5fa56bbc6e3af450d0dedd4809d09e15c3d803e827"},
      {BatchKind::special, "8d991680348db053654e506cba14e453afd83f6b69e6845d2f414f7128d7fa73"}};
  for (const BatchKind kind : batch_kinds()) {
    EXPECT_EQ(hash_of(kind), golden.at(kind)) << to_string(kind);
  }
}

// Computed apart from this code, with whole numbers of Python, from the definition of SplitMix64's
// finalizer.
TEST(BatchEntry, IsWhatItsHashSays) {
  EXPECT_EQ(batch_entry(BatchKind::random, 1, 3, 5, 2, 1), -0.6730969660197204);
  EXPECT_EQ(batch_rhs_entry(7, 16, 123456789012, 15, 3), 0.8173516152334444);
  EXPECT_EQ(batch_repeat_factor(7, 16, 123456789012, 15, 3), 0.9992805571100689);
}

TEST(BatchEntry, IsAConstantOfItsPlace) {
  constexpr double entry = batch_entry(BatchKind::special, 3, 9, 17, 4, 4);
  EXPECT_EQ(entry, batch_entry(BatchKind::special, 3, 9, 17, 4, 4));
  std::set<double> values;
  for (const std::uint64_t seed : {1, 2}) {
    for (const Index n : {2, 3}) {
      for (const Offset k : {0, 1}) {
        for (const double value : matrix(BatchKind::random, n, k, seed)) values.insert(value);
        values.insert(batch_rhs_entry(seed, n, k, 0, 0));
      }
    }
  }
  EXPECT_EQ(values.size(), 2U * 2 * (4 + 9) + 8);  // all are different
}

TEST(BatchEntry, NamesAreReadAsTheyAreWritten) {
  EXPECT_EQ(batch_kinds().size(), 7U);
  for (const BatchKind kind : batch_kinds()) EXPECT_EQ(parse_batch_kind(to_string(kind)), kind);
  EXPECT_EQ(parse_batch_kind("near_singular"), std::nullopt);
  EXPECT_EQ(parse_batch_kind(""), std::nullopt);
}

TEST(BatchEntry, RandomIsUniform) {
  double sum = 0, squares = 0, least = 1, largest = -1;
  constexpr int matrices = 2000;
  for (Offset k = 0; k < matrices; ++k) {
    for (const double value : matrix(BatchKind::random, 8, k)) {
      sum += value;
      squares += value * value;
      least = std::min(least, value);
      largest = std::max(largest, value);
    }
  }
  const double count = matrices * 64.0;
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.01);
  EXPECT_GE(least, -1);
  EXPECT_LT(least, -0.999);
  EXPECT_LT(largest, 1);
  EXPECT_GT(largest, 0.999);
}

TEST(BatchEntry, DominantIsSoByRowsAndColumns) {
  for (const Index n : {1, 2, 17, 64}) {
    int negative = 0;
    for (Offset k = 0; k < 20; ++k) {
      const std::vector<double> a = matrix(BatchKind::dominant, n, k);
      for (Index i = 0; i < n; ++i) {
        double row = 0, column = 0;
        for (Index j = 0; j < n; ++j) {
          if (j == i) continue;
          row += std::abs(a[at(i + Offset{j} * n)]);
          column += std::abs(a[at(j + Offset{i} * n)]);
        }
        const double diagonal = a[at(i + Offset{i} * n)];
        negative += diagonal < 0 ? 1 : 0;
        ASSERT_GT(std::abs(diagonal), std::max(row, column));
      }
    }
    EXPECT_GT(negative, 0);
    EXPECT_LT(negative, 20 * n);
  }
}

TEST(BatchEntry, RowsOfGradedMatricesLieFarApart) {
  double least = 1e300, largest = 0;
  for (Offset k = 0; k < 200; ++k) {
    const std::vector<float> a = matrix<float>(BatchKind::graded, 16, k);
    ASSERT_TRUE(all_finite(a));
    for (Index i = 0; i < 16; ++i) {
      float row = 0;
      for (Index j = 0; j < 16; ++j) row = std::max(row, std::abs(a[at(i + Offset{j} * 16)]));
      least = std::min(least, double{row});
      largest = std::max(largest, double{row});
    }
  }
  EXPECT_GT(least, 1e-21);
  EXPECT_LT(least, 1e-18);
  EXPECT_GT(largest, 1e18);
  EXPECT_LT(largest, 1e20);
}

TEST(BatchEntry, TiesAreThreeNumbersEquallyOften) {
  std::map<double, int> count;
  for (Offset k = 0; k < 500; ++k) {
    for (const double value : matrix(BatchKind::ties, 8, k)) ++count[value];
  }
  ASSERT_THAT(count, testing::SizeIs(3));
  for (const double value : {-1.0, 0.0, 1.0}) EXPECT_NEAR(count[value], 500 * 64 / 3.0, 400);
}

TEST(BatchEntry, ConditionsOfNearSingularMatricesSpanSixteenDigits) {
  constexpr Index n = 8;
  int small = 0, middle = 0, large = 0;
  for (Offset k = 0; k < 400; ++k) {
    const std::vector<double> a = matrix(BatchKind::near_singular, n, k);
    std::vector<long double> wide(a.begin(), a.end());
    const double condition = norm1(a, n) * norm1(inverse_of(wide, n), n);
    if (condition < 1e4) ++small;
    if (condition > 1e6 && condition < 1e12) ++middle;
    if (condition > 1e14) ++large;
  }
  EXPECT_GT(small, 20);
  EXPECT_GT(middle, 80);
  EXPECT_GT(large, 40);
}

// The column, from 1, whose pivot must be exactly zero; 0: none.
Index expected_info(const std::vector<double>& a, Index n) {
  for (Index j = 0; j < n; ++j) {
    const auto column = [&](Index c) { return a.begin() + Offset{c} * n; };
    if (std::all_of(column(j), column(j + 1), [](double x) { return x == 0; })) return j + 1;
    for (Index c = 0; c < j; ++c) {
      if (std::equal(column(c), column(c + 1), column(j))) return j + 1;
    }
  }
  return 0;
}

template <class T>
void expect_exactly_singular(Index n, Offset k, std::set<Index>& places) {
  std::vector<T> a = matrix<T>(BatchKind::singular, n, k);
  const Index expected = expected_info(matrix(BatchKind::singular, n, k), n);
  const SmallLu<T> lu = eliminate(a, n);
  ASSERT_GT(expected, 0) << n << " " << k;
  EXPECT_EQ(lu.info, expected) << n << " " << k;
  EXPECT_EQ(lu.zero_pivots, 1) << n << " " << k;
  places.insert(expected);
}

TEST(BatchEntry, EveryThousandthSingularMatrixHasOneExactlyZeroPivotInAnyPlace) {
  for (const Index n : {1, 2, 3, 8, 17, 33, 64}) {
    std::set<Index> zero, equal;
    for (Offset turn = 0; turn < 2 * n; ++turn) {
      expect_exactly_singular<double>(n, 1000 * turn, turn % 2 == 0 ? zero : equal);
      expect_exactly_singular<float>(n, 1000 * turn, turn % 2 == 0 ? zero : equal);
    }
    EXPECT_EQ(zero.size(), at(n));
    EXPECT_GE(equal.size() + 1, at(n));  // the first column equals none before it
  }
  for (Offset k = 1; k < 1000; ++k) {
    std::vector<double> a = matrix(BatchKind::singular, 5, k);
    ASSERT_EQ(a, matrix(BatchKind::random, 5, k));
    ASSERT_EQ(eliminate(a, 5).info, 0);
  }
}

// What the header says of finite inverses, with a plain elimination.
template <class T>
void expect_finite_inverse(Index n, Offset k) {
  const std::vector<T> a = matrix<T>(BatchKind::special, n, k);
  ASSERT_TRUE(all_finite(a)) << k;
  EXPECT_TRUE(all_finite(inverse_of(a, n))) << n << " " << k;
}

TEST(BatchEntry, SpecialMatricesLeaveTheOthersClean) {
  for (const Index n : {1, 5, 64}) {
    for (Offset k = 0; k < 64; ++k) {
      const std::vector<double> a = matrix(BatchKind::special, n, k);
      if (k % 2 == 0) {
        EXPECT_EQ(a, matrix(BatchKind::random, n, k));
        continue;
      }
      const Offset turn = k / 2 % 8;
      EXPECT_EQ(all_finite(a), turn < 6) << k;
      const auto subnormal =
          std::ranges::count_if(a, [](double x) { return std::fpclassify(x) == FP_SUBNORMAL; });
      EXPECT_EQ(subnormal, turn == 0 ? n : 0);
      EXPECT_EQ(std::ranges::count_if(a, [](double x) { return std::isnan(x); }), turn == 7);
      EXPECT_EQ(std::ranges::count_if(a, [](double x) { return std::isinf(x); }), turn == 6);
      if (turn < 6) expect_finite_inverse<double>(n, k);
      if (turn == 1 || turn == 4 || turn == 5) expect_finite_inverse<float>(n, k);
    }
  }
}

TEST(BatchEntry, SpecialInFloatIsWhatTheHeaderSays) {
  constexpr Index n = 6;
  const auto of_turn = [](Offset turn) {
    return matrix<float>(BatchKind::special, n, 2 * turn + 1);
  };
  std::vector<float> zero_column = of_turn(0);
  EXPECT_GT(eliminate(zero_column, n).info, 0);
  EXPECT_EQ(
      std::ranges::count_if(of_turn(1), [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }),
      n);
  EXPECT_THAT(of_turn(2), testing::Each(testing::FloatEq(0)));
  EXPECT_FALSE(all_finite(of_turn(3)));
}

TEST(BatchEntry, EveryKindHasMatricesOfOrderOneAndOfTheLargest) {
  for (const BatchKind kind : batch_kinds()) {
    for (const Index n : {1, 64}) {
      const std::vector<double> a = matrix(kind, n, 2);
      EXPECT_TRUE(all_finite(a)) << to_string(kind);
      EXPECT_NE(a, matrix(kind, n, kind == BatchKind::ties && n == 1 ? 7 : 4)) << to_string(kind);
    }
  }
}

TEST(BatchEntry, RepeatFactorsAreExactAndNearOne) {
  double sum = 0, least = 2, largest = 0;
  constexpr int count = 100000;
  for (Offset k = 0; k < count; ++k) {
    const double factor = batch_repeat_factor(1, 4, k, 1, 2);
    const double steps = std::ldexp(factor - 1, 40);
    ASSERT_EQ(steps, std::round(steps));
    sum += factor;
    least = std::min(least, factor);
    largest = std::max(largest, factor);
  }
  EXPECT_NEAR(sum / count, 1, 1e-5);
  EXPECT_GE(least, 0.999);
  EXPECT_LT(least, 0.99901);
  EXPECT_LE(largest, 1.001);
  EXPECT_GT(largest, 1.00099);
}

TEST(BatchEntry, RightHandSidesAreUniform) {
  double sum = 0;
  for (Offset k = 0; k < 10000; ++k) {
    const double value = batch_rhs_entry(1, 4, k, 3, 0);
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.02);
}

}  // namespace
}  // namespace lufact
