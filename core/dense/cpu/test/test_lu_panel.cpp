// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "core/dense/cpu/lu_panel.hpp"

namespace lufact {
namespace {

struct Shape {
  Index m, width;
};

// A panel of its own, in padded columns.
template <class T>
struct Columns {
  explicit Columns(Shape shape)
      : stride(round_up(shape.m, row_unit) + 4),
        entries(at(Offset{stride} * shape.width), T(0)),
        a{entries.data(), stride, shape.m, round_up(shape.m, row_unit), shape.width} {}
  Columns(const Columns& other)
      : stride(other.stride),
        entries(other.entries),
        a(other.a),
        pivots(other.pivots),
        info(other.info) {
    a.entries = entries.data();
  }
  Columns& operator=(const Columns&) = delete;

  Index stride;
  std::vector<T> entries;
  PaddedColumns<T> a;
  std::vector<std::int32_t> pivots;
  std::int32_t info = 0;
};

template <class T>
Columns<T> random_columns(Shape shape) {
  Columns<T> columns(shape);
  std::mt19937 random(5);
  std::uniform_real_distribution<T> value(-1, 1);
  for (Index j = 0; j < shape.width; ++j) {
    for (Index i = 0; i < shape.m; ++i) columns.a(i, j) = value(random);
  }
  return columns;
}

// One column after the other, as the unblocked getf2.
template <class T>
Columns<T> plainly(Columns<T> x) {
  const PaddedColumns<T>& a = x.a;
  for (Index k = 0; k < std::min(a.rows, a.columns); ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < a.rows; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    x.pivots.push_back(pivot + 1);
    if (a(pivot, k) == 0 && x.info == 0) x.info = k + 1;
    for (Index j = 0; j < a.columns; ++j) std::swap(a(k, j), a(pivot, j));
    for (Index i = k + 1; i < a.rows; ++i) {
      if (a(k, k) != 0) a(i, k) /= a(k, k);
      for (Index j = k + 1; j < a.columns; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return x;
}

template <class T>
Columns<T> eliminated(Columns<T> x, int threads) {
  const Index width = x.a.columns;
  x.pivots.resize(at(width));
  LuPanel<T> panel(ArrayPivoting::partial, round_up(width, strip_columns), threads, x.pivots);
  const Columns<T> before = x;
  for (int twice = 0; twice < 2; ++twice) {  // messages of the first run must not count again
    std::ranges::copy(before.entries, x.entries.begin());
    x.info = 0;
    panel.restart();
#pragma omp parallel num_threads(threads)
    panel.eliminate(ThreadTeam::of_region(), x.a, 0, width, x.info);
  }
  return x;
}

template <class T>
class LuPanelTest : public testing::Test {
 protected:
  static void expect_as_plainly(const Columns<T>& x, Columns<T>& one) {
    const Columns<T> expected = plainly(x);
    EXPECT_EQ(one.pivots, expected.pivots);
    EXPECT_EQ(one.info, expected.info);
    const T tolerance = 200 * std::numeric_limits<T>::epsilon() * T(x.a.columns);
    for (std::size_t k = 0; k < one.entries.size(); ++k) {
      ASSERT_NEAR(one.entries[k], expected.entries[k], tolerance) << k;
    }
  }
  static void expect_same(const Columns<T>& one, const Columns<T>& other) {
    EXPECT_EQ(one.pivots, other.pivots);
    EXPECT_EQ(one.info, other.info);
    for (std::size_t k = 0; k < one.entries.size(); ++k) {
      const bool neither = std::isnan(one.entries[k]) && std::isnan(other.entries[k]);
      ASSERT_TRUE(neither || one.entries[k] == other.entries[k]) << k;
    }
  }
  static void expect_right(const Columns<T>& x, bool finite = true) {
    Columns<T> one = eliminated(x, 1);
    if (finite) expect_as_plainly(x, one);
    for (const int threads : {2, 3, 5}) expect_same(one, eliminated(x, threads));
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(LuPanelTest, Reals);

TYPED_TEST(LuPanelTest, AnyNumberOfColumnsAndRows) {
  for (const Index width : {1, 7, 8, 9, 16, 40, 63, 64}) {
    for (const Index more : {0, 1, 5, 47, 48, 49, 500}) {
      SCOPED_TRACE(testing::Message() << width + more << " x " << width);
      this->expect_right(random_columns<TypeParam>({width + more, width}));
    }
  }
}

// The last panel of a matrix, where threads may have no rows at all, or top rows two of them.
TYPED_TEST(LuPanelTest, MoreThreadsThanRows) {
  for (const Index m : {1, 3, 8, 20, 60, 100, 150}) {
    this->expect_right(random_columns<TypeParam>({m, std::min<Index>(m, 130)}));
  }
}

TYPED_TEST(LuPanelTest, TheFirstOfEqualCandidatesIsThePivot) {
  auto x = random_columns<TypeParam>({700, 24});
  for (Index j = 0; j < 24; ++j) {
    for (Index i = 0; i < 700; ++i) x.a(i, j) = x.a(i, j) < 0 ? TypeParam(-1) : TypeParam(1);
  }
  this->expect_right(x, false);
  const auto one = eliminated(x, 3);
  EXPECT_EQ(one.pivots.front(), 1);
  x.a(0, 0) = 0;
  x.a(1, 0) = TypeParam(0.5);
  for (Index i = 2; i < 300; ++i) x.a(i, 0) = 0;
  EXPECT_EQ(eliminated(x, 3).pivots.front(), 301);
}

TYPED_TEST(LuPanelTest, AColumnOfZerosIsPassedOver) {
  for (const Index zero : {0, 3, 7, 8, 31}) {
    auto x = random_columns<TypeParam>({333, 32});
    for (Index i = 0; i < 333; ++i) x.a(i, zero) = 0;
    this->expect_right(x);
    EXPECT_EQ(eliminated(x, 2).info, zero + 1);
  }
}

TYPED_TEST(LuPanelTest, NaNIsThePivotInItsOwnRowAlone) {
  const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const Index row : {0, 5, 8, 200}) {
    auto x = random_columns<TypeParam>({300, 16});
    x.a(row, 0) = nan;
    this->expect_right(x, false);
    EXPECT_EQ(eliminated(x, 2).pivots.front() == row + 1, row == 0);
  }
}

TYPED_TEST(LuPanelTest, PivotsWithoutAReciprocalDivide) {
  auto x = random_columns<TypeParam>({300, 16});
  const TypeParam tiny = std::numeric_limits<TypeParam>::min() / 16;
  for (Index i = 0; i < 300; ++i) x.a(i, 0) = i == 250 ? tiny : TypeParam(0);
  this->expect_right(x);
}

}  // namespace
}  // namespace lufact
