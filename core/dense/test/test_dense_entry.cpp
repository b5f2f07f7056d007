// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/dense/dense_input.hpp"
#include "core/reference/dense_lu.hpp"

namespace lufact {
namespace {

std::vector<double> entries_of(const std::string& input, Index m, Index n, std::uint64_t seed = 1) {
  const DenseMatrixSource source({.input = input, .m = m, .n = n, .seed = seed});
  std::vector<double> entries(at(Offset{m} * n));
  for (Index j = 0; j < n; ++j) source.column(j, entries.data() + Offset{j} * m);
  return entries;
}

TEST(DenseEntry, EverySpellingIsReadAsItIsWritten) {
  for (const char* text : {"random", "dominant", "growth", "hilbert", "toeplitz", "ties",
                           "condition:1000", "singular:3", "zero-minor:2", "special:tiny",
                           "special:subnormal", "special:huge", "special:nan", "special:inf"}) {
    const auto name = parse_dense_kind(text);
    ASSERT_TRUE(name.has_value()) << text;
    EXPECT_EQ(to_string(*name), text);
  }
  for (const char* text : {"", "condition", "condition:", "condition:0.5", "condition:inf",
                           "singular:0", "singular:x", "zero-minor:-1", "special", "special:x"}) {
    EXPECT_FALSE(parse_dense_kind(text).has_value()) << text;
  }
}

TEST(DenseEntry, IsAPureFunctionOfSeedAndPlace) {
  EXPECT_EQ(entries_of("random", 5, 4, 3), entries_of("random", 5, 4, 3));
  EXPECT_NE(entries_of("random", 5, 4, 3), entries_of("random", 5, 4, 4));
  // A larger matrix of the same seed has the smaller one as its corner.
  const auto small = entries_of("random", 3, 3), large = entries_of("random", 6, 6);
  EXPECT_EQ(small[4], large[7]);
  EXPECT_EQ(entries_of("hilbert", 2, 2), (std::vector<double>{1, 0.5, 0.5, 1.0 / 3}));
  EXPECT_EQ(entries_of("growth", 3, 3), (std::vector<double>{1, -1, -1, 0, 1, -1, 1, 1, 1}));
}

TEST(DenseEntry, ToeplitzIsEqualAlongDiagonals) {
  const auto a = entries_of("toeplitz", 4, 4);
  EXPECT_EQ(a[0], a[5]);
  EXPECT_EQ(a[1], a[6]);
  EXPECT_EQ(a[4], a[9]);
  EXPECT_NE(a[1], a[4]);
}

TEST(DenseEntry, DominantByRowsAndColumns) {
  for (const auto& [m, n] : {std::pair{30, 30}, {40, 20}, {20, 40}}) {
    const auto a = entries_of("dominant", m, n);
    for (Index k = 0; k < std::min(m, n); ++k) {
      double column = 0;
      for (Index i = 0; i < m; ++i) column += i == k ? 0 : std::abs(a[at(Offset{k} * m + i)]);
      EXPECT_GT(std::abs(a[at(Offset{k} * m + k)]), column);
    }
  }
}

// Singular values by one-sided Jacobi rotations (Hestenes 1958).
std::vector<double> singular_values(std::vector<double> a, Index m, Index n) {
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (Index p = 0; p < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        double pp = 0, qq = 0, pq = 0;
        for (Index i = 0; i < m; ++i) {
          const double x = a[at(Offset{p} * m + i)], y = a[at(Offset{q} * m + i)];
          pp += x * x;
          qq += y * y;
          pq += x * y;
        }
        if (pq == 0) continue;
        const double zeta = (qq - pp) / (2 * pq);
        const double t = (zeta > 0 ? 1 : -1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (Index i = 0; i < m; ++i) {
          double &x = a[at(Offset{p} * m + i)], &y = a[at(Offset{q} * m + i)];
          const double old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        }
      }
    }
  }
  std::vector<double> values;
  for (Index j = 0; j < n; ++j) {
    double square = 0;
    for (Index i = 0; i < m; ++i) square += a[at(Offset{j} * m + i)] * a[at(Offset{j} * m + i)];
    values.push_back(std::sqrt(square));
  }
  std::ranges::sort(values, std::greater<>());
  return values;
}

TEST(DenseEntry, ConditionIsThatOfItsSingularValues) {
  for (const auto& [m, n] : {std::pair{12, 12}, {20, 6}, {5, 5}}) {
    const auto values = singular_values(entries_of("condition:1e4", m, n), m, n);
    EXPECT_NEAR(values.front(), 1, 1e-12);
    EXPECT_NEAR(values.back(), 1e-4, 1e-12);
    EXPECT_NEAR(values[1] / values[0], std::pow(1e4, -1.0 / (std::min(m, n) - 1)), 1e-10);
  }
}

TEST(DenseEntry, SingularAndZeroMinorFailWhereTheySay) {
  for (const Index column : {1, 2, 5, 9}) {
    std::vector<std::int32_t> pivots(9);
    auto singular = entries_of("singular:" + std::to_string(column), 9, 9);
    EXPECT_EQ(reference::dense_lu(9, 9, singular.data(), 9, pivots.data()), column);
    singular = entries_of("singular:" + std::to_string(column), 9, 9);
    EXPECT_EQ(reference::dense_lu_without_pivoting(9, 9, singular.data(), 9), column);
    if (column == 9) continue;
    auto minor = entries_of("zero-minor:" + std::to_string(column), 9, 9);
    EXPECT_EQ(reference::dense_lu(9, 9, minor.data(), 9, pivots.data()), 0);
    minor = entries_of("zero-minor:" + std::to_string(column), 9, 9);
    EXPECT_EQ(reference::dense_lu_without_pivoting(9, 9, minor.data(), 9), column);
  }
}

TEST(DenseEntry, SpecialNumbersAreAtTheEndsOfTheRange) {
  const auto count = [](const char* input, auto holds) {
    Offset found = 0;
    for (const double value : entries_of(input, 10, 10)) found += holds(std::abs(value)) ? 1 : 0;
    return found;
  };
  EXPECT_EQ(count("special:nan", [](double v) { return std::isnan(v); }), 1);
  EXPECT_EQ(count("special:inf", [](double v) { return std::isinf(v); }), 1);
  EXPECT_EQ(count("special:huge", [](double v) { return v > 1e290; }), 100);
  EXPECT_EQ(
      count("special:subnormal", [](double v) { return v < std::numeric_limits<double>::min(); }),
      100);
}

TEST(DenseInput, WrongRequestsAreRefused) {
  const auto refused = [](const char* input, Index m, Index n) {
    EXPECT_THROW(check_dense_request({.input = input, .m = m, .n = n}), UsageError)
        << input << " " << m << " x " << n;
  };
  refused("random", 0, 5);
  refused("random", 5, 0);
  refused("random", largest_dense_order + 1, largest_dense_order + 1);
  refused("singular:6", 5, 5);
  refused("zero-minor:5", 5, 5);
  refused("no-such-kind", 5, 5);
  refused("file.npy", 5, 5);
  EXPECT_NO_THROW(check_dense_request({.input = "random", .m = 1'000'000, .n = 16}));
  EXPECT_NO_THROW(check_dense_request({.input = "front:a.mtx"}));
}

}  // namespace
}  // namespace lufact
