// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/fronts/numeric/dense_kernels.hpp"

namespace lufact {
namespace {

template <class T>
std::vector<T> random_entries(Index count) {
  std::vector<T> entries(at(count));
  std::mt19937 random(3);
  std::uniform_real_distribution<T> value(-1, 1);
  for (T& entry : entries) entry = value(random);
  return entries;
}

template <class T>
class NextColumn : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(NextColumn, Reals);

TYPED_TEST(NextColumn, IsBroughtUpToDateWithThoseBeforeIt) {
  using T = TypeParam;
  const std::vector<T> u = random_entries<T>(strip_columns);
  for (const DenseKernels<T>* const kernels : dense_kernel_sets<T>()) {
    for (const Index rows : {4, 12, 36, 100}) {
      for (Index known = 0; known < strip_columns; ++known) {
        std::vector<T> x = random_entries<T>(rows * strip_columns), pieces = x, expected = x;
        T largest = 0;
        for (Index i = 0; i < rows; ++i) {
          const auto entry = [&](Index j) -> T& { return expected[at(j * rows + i)]; };
          if (known > 0) entry(known - 1) *= T(3);
          for (Index j = 0; j < known; ++j) entry(known) -= entry(j) * u[at(j)];
          largest = std::max(largest, std::abs(entry(known)));
        }
        const T tolerance = 50 * std::numeric_limits<T>::epsilon();
        EXPECT_NEAR(kernels->next_column(x.data(), rows, rows, known, T(3), u.data()), largest,
                    tolerance);
        for (std::size_t k = 0; k < x.size(); ++k) ASSERT_NEAR(x[k], expected[k], tolerance);
        kernels->next_column(pieces.data(), rows, 4, known, T(3), u.data());
        kernels->next_column(pieces.data() + 4, rows, rows - 4, known, T(3), u.data());
        ASSERT_EQ(pieces, x);
      }
    }
  }
}

TYPED_TEST(NextColumn, NaNIsNotTheLargest) {
  using T = TypeParam;
  for (const DenseKernels<T>* const kernels : dense_kernel_sets<T>()) {
    for (Index place = 0; place < 36; ++place) {
      std::vector<T> x(36, T(-1));
      x[at(place)] = std::numeric_limits<T>::quiet_NaN();
      EXPECT_EQ(kernels->next_column(x.data(), 36, 36, 0, T(1), nullptr), T(1));
    }
  }
}

}  // namespace
}  // namespace lufact
