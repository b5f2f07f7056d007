// SPDX-License-Identifier: BSD-3-Clause
// The kernels' own code on lanes that take turns (emulated_runs.hpp), against the sequential twin.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/batch/kinetics_matrices.hpp"
#include "core/reference/dense_lu.hpp"
#include "gpu/batch/ours/test/emulated_runs.hpp"

namespace lufact::gpu::ours {
namespace {

template <class Real>
std::vector<Real> random_matrix(int n, int columns, std::mt19937& engine, double scale = 1) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Real> matrix(at(n * columns));
  for (Real& entry : matrix) entry = static_cast<Real>(scale * uniform(engine));
  return matrix;
}

// A direct sum of Sylvester's Hadamard matrices, whose order is n, with rows in random order and of
// random sign: elimination stays exact, and nearly all candidates of a column are of one size.
template <class Real>
std::vector<Real> tied_matrix(int n, std::mt19937& engine) {
  std::vector<int> row(at(n));
  std::iota(row.begin(), row.end(), 0);
  std::ranges::shuffle(row, engine);
  std::vector<Real> matrix(at(n * n), Real(0));
  for (int first = 0; first < n;) {
    int size = 1;
    while (2 * size <= n - first) size *= 2;
    for (int i = 0; i < size; ++i) {
      const int sign = engine() % 2 == 0 ? 1 : -1;
      for (int j = 0; j < size; ++j) {
        const bool odd = std::popcount(static_cast<unsigned>(i & j)) % 2 == 1;
        matrix[at((first + j) * n + row[at(first + i)])] = static_cast<Real>(odd ? -sign : sign);
      }
    }
    first += size;
  }
  return matrix;
}

// A column in the middle and the last one are sums of columns before them, but for rounding.
template <class Real>
std::vector<Real> nearly_of_rank_two_below_full(int n, std::mt19937& engine) {
  std::vector<Real> matrix = random_matrix<Real>(n, n, engine);
  for (const int column : {n / 2, n - 1}) {
    for (int i = 0; i < n; ++i) {
      matrix[at(column * n + i)] = matrix[at(i)] + matrix[at((column - 1) / 2 * n + i)];
    }
  }
  return matrix;
}

template <class Case>
Matrices<typename Case::Real> many(
    const std::function<std::vector<typename Case::Real>(Offset, std::mt19937&)>& make) {
  std::mt19937 engine(7);
  Matrices<typename Case::Real> matrices;
  for (Offset k = 0; k < Case::count; ++k) matrices.push_back(make(k, engine));
  return matrices;
}

template <class Real>
Real largest_size(const std::vector<Real>& values) {
  Real largest = 0;
  for (const Real value : values) {
    if (!(std::abs(value) <= largest)) largest = std::abs(value);
  }
  return largest;
}

// max |X - Y| / max |Y|; NaN where one is.
template <class Real>
double distance(const std::vector<Real>& x, const std::vector<Real>& y) {
  std::vector<Real> difference(x.size());
  for (std::size_t e = 0; e < x.size(); ++e) difference[e] = x[e] - y[e];
  return static_cast<double>(largest_size(difference)) /
         std::max(static_cast<double>(largest_size(y)), 1e-300);
}

// A X - B in relation to |A| |X|.
template <class Real>
double residual(int n, const std::vector<Real>& a, const std::vector<Real>& x,
                const std::vector<Real>& b) {
  const int columns = static_cast<int>(x.size()) / n;
  long double worst = 0;
  for (int c = 0; c < columns; ++c) {
    for (int i = 0; i < n; ++i) {
      long double sum = -static_cast<long double>(b[at(c * n + i)]);
      for (int j = 0; j < n; ++j) {
        sum += static_cast<long double>(a[at(j * n + i)]) * x[at(c * n + j)];
      }
      if (!(std::abs(sum) <= worst)) worst = std::abs(sum);
    }
  }
  return static_cast<double>(worst / largest_size(a) / largest_size(x));
}

template <class Real>
long double one_norm(int n, const std::vector<Real>& matrix) {
  long double largest = 0;
  for (int j = 0; j < n; ++j) {
    long double sum = 0;
    for (int i = 0; i < n; ++i) sum += std::abs(static_cast<long double>(matrix[at(j * n + i)]));
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

// ||AX - I|| / (n ||A|| ||X||) in the 1-norm.
template <class Real>
double inverse_error(int n, const std::vector<Real>& a, const std::vector<Real>& x) {
  std::vector<long double> rest(at(n * n));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      long double sum = i == j ? -1 : 0;
      for (int k = 0; k < n; ++k) {
        sum += static_cast<long double>(a[at(k * n + i)]) * x[at(j * n + k)];
      }
      rest[at(j * n + i)] = sum;
    }
  }
  return static_cast<double>(one_norm(n, rest) / (n * one_norm(n, a) * one_norm(n, x)));
}

template <class Case>
class OursKernels : public testing::Test {
 protected:
  using Real = typename Case::Real;
  static constexpr int n = Case::n;
  static constexpr double tolerance = 400.0 * n * std::numeric_limits<Real>::epsilon();

  static void expect_factors(const Matrices<Real>& a, const Results<Real>& got) {
    EXPECT_TRUE(got.guards_hold);
    for (Offset k = 0; k < static_cast<Offset>(a.size()); ++k) {
      std::vector<Real> lu = a[at(k)];
      std::vector<std::int32_t> pivots(at(n));
      const std::int32_t info = reference::dense_lu<Real>(n, n, lu.data(), n, pivots.data());
      ASSERT_EQ(got.info[at(k)], info) << "matrix " << k;
      const auto own = got.pivots.begin() + k * n;
      ASSERT_EQ(std::vector<std::int32_t>(own, own + n), pivots) << "matrix " << k;
      EXPECT_LE(distance(got.a[at(k)], lu), tolerance) << "matrix " << k;
    }
  }
  static void expect_inverses(const Matrices<Real>& a, const Results<Real>& got) {
    EXPECT_TRUE(got.guards_hold);
    std::vector<Real> identity(at(n * n), Real(0));
    for (int i = 0; i < n; ++i) identity[at(i * n + i)] = 1;
    for (Offset k = 0; k < static_cast<Offset>(a.size()); ++k) {
      ASSERT_EQ(got.info[at(k)], 0) << "matrix " << k;
      EXPECT_LE(residual(n, a[at(k)], got.a[at(k)], identity), tolerance) << "matrix " << k;
    }
  }
  static Matrices<Real> random(double scale = 1) {
    return many<Case>(
        [scale](Offset, std::mt19937& engine) { return random_matrix<Real>(n, n, engine, scale); });
  }
  // Every second matrix with rows over many decades, which the others beside it are not to feel.
  static Matrices<Real> graded() {
    return many<Case>([](Offset k, std::mt19937& engine) {
      std::vector<Real> matrix = random_matrix<Real>(n, n, engine);
      for (int i = 0; k % 2 == 0 && i < n; ++i) {
        const int exponent = static_cast<int>(engine() % 133) - 66;
        for (int j = 0; j < n; ++j) {
          matrix[at(j * n + i)] = std::ldexp(matrix[at(j * n + i)], exponent);
        }
      }
      return matrix;
    });
  }
  // Near either end of the range, so that reciprocals or products would leave it.
  static Matrices<Real> extreme() {
    return many<Case>([](Offset k, std::mt19937& engine) {
      const bool is_double = sizeof(Real) == 8;
      const double tiny = is_double ? 1e-306 : 1e-37, huge = is_double ? 1e305 : 1e35;
      return random_matrix<Real>(n, n, engine, k % 3 == 0 ? 1 : k % 3 == 1 ? tiny : huge);
    });
  }
  static Matrices<Real> with_zero_columns() {
    return many<Case>([](Offset k, std::mt19937& engine) {
      std::vector<Real> matrix = random_matrix<Real>(n, n, engine);
      const auto column = matrix.begin() + k % n * n;
      if (k % 4 != 3) std::fill(column, column + n, Real(0));
      return matrix;
    });
  }
};

using Cases = testing::Types<Case<double, 1, 0, 1>, Case<double, 3, 0, 1>, Case<float, 4, 0, 1>,
                             Case<double, 7, 0, 1>, Case<float, 3, 1, 4>, Case<double, 2, 1, 4>,
                             Case<float, 5, 2, 4>, Case<double, 9, 3, 4>, Case<double, 16, 2, 8>,
                             Case<float, 17, 5, 4>, Case<double, 20, 3, 8>, Case<float, 28, 2, 16>,
                             Case<double, 32, 1, 32>, Case<float, 33, 3, 16>>;
TYPED_TEST_SUITE(OursKernels, Cases);

TYPED_TEST(OursKernels, FactorsOfEveryPlacement) {
  const auto a = TestFixture::random();
  using enum ArrayLayout;
  for (const Placement& placement :
       {Placement{contiguous}, Placement{contiguous, 0, 1, 1}, Placement{contiguous, 0, 1, 2},
        Placement{contiguous, 3, 0, 0}, Placement{interleaved, 0, 1, 0}, Placement{interleaved, 2},
        Placement{pointers}, Placement{pointers, 0, 1, 0}, Placement{pointers, 1, 0, 0}}) {
    for (const bool backwards : {false, true}) {
      TestFixture::expect_factors(
          a, run_case<TypeParam>(ArrayOperation::lu, a, {}, placement, backwards));
    }
  }
}

TYPED_TEST(OursKernels, InversesOfEveryPlacement) {
  const auto a = TestFixture::random();
  using enum ArrayLayout;
  for (const Placement& placement :
       {Placement{contiguous}, Placement{contiguous, 0, 1, 2}, Placement{interleaved, 1, 0, 1},
        Placement{pointers, 0, 0, 1}}) {
    for (const bool backwards : {false, true}) {
      TestFixture::expect_inverses(
          a, run_case<TypeParam>(ArrayOperation::inverse, a, {}, placement, backwards));
    }
  }
}

// To the threshold of the verification: without equilibration elimination in place misses it.
TYPED_TEST(OursKernels, InversesOfWidelyGradedRows) {
  const auto a = TestFixture::graded();
  const auto got = run_case<TypeParam>(ArrayOperation::inverse, a, {}, {}, false);
  const double threshold = 30 * std::numeric_limits<typename TestFixture::Real>::epsilon();
  for (Offset k = 0; k < TypeParam::count; ++k) {
    EXPECT_EQ(got.info[at(k)], 0);
    EXPECT_LE(inverse_error(TypeParam::n, a[at(k)], got.a[at(k)]), threshold) << "matrix " << k;
  }
}

// Two pivots are tiny: the rows above the first have a large multiple of its row, and the second
// divides what rounding left of that. To the threshold of the verification, which elimination in
// place misses.
TYPED_TEST(OursKernels, InversesWithTwoTinyPivots) {
  using Entry = typename TestFixture::Real;
  constexpr int order = TypeParam::n;
  const double threshold = 30 * std::numeric_limits<Entry>::epsilon();
  for (unsigned round = 0; order >= 4 && round < 12; ++round) {
    const auto a = many<TypeParam>([round](Offset k, std::mt19937& engine) {
      engine.seed(static_cast<unsigned>(k) + 1000 * round);
      return nearly_of_rank_two_below_full<Entry>(order, engine);
    });
    const auto got = run_case<TypeParam>(ArrayOperation::inverse, a, {}, {}, false);
    for (Offset k = 0; k < TypeParam::count; ++k) {
      if (got.info[at(k)] != 0) continue;
      ASSERT_LE(inverse_error(order, a[at(k)], got.a[at(k)]), threshold)
          << "matrix " << k << " of round " << round;
    }
  }
}

// Whose rows differ by so much that they are scaled, after which a residual that is small for them
// may not be for A.
TYPED_TEST(OursKernels, InversesOfReactionNetworks) {
  using Entry = typename TestFixture::Real;
  constexpr int order = TypeParam::n;
  if constexpr (order >= least_kinetics_order && order <= largest_kinetics_order) {
    const double threshold = 30 * std::numeric_limits<Entry>::epsilon();
    const Offset count = order <= 16 ? 1300 : 100;
    const GivenMatrices networks = kinetics_matrices(order, count, 1);
    for (Offset first = 0; first < count; first += TypeParam::count) {
      Matrices<Entry> a;
      for (Offset k = first; k < std::min(first + TypeParam::count, count); ++k) {
        const auto begin = networks.values.begin() + k * order * order;
        a.emplace_back(begin, begin + order * order);
      }
      const auto got = run_case<TypeParam>(ArrayOperation::inverse, a, {}, {}, false);
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (got.info[k] != 0) continue;
        ASSERT_LE(inverse_error(order, a[k], got.a[k]), threshold)
            << "matrix " << first << " + " << k;
      }
    }
  }
}

TYPED_TEST(OursKernels, Solutions) {
  const auto a = TestFixture::random();
  using enum ArrayLayout;
  for (const int rhs : {1, 3, TypeParam::n}) {
    const auto b = many<TypeParam>([rhs](Offset, std::mt19937& engine) {
      return random_matrix<typename TestFixture::Real>(TypeParam::n, rhs, engine);
    });
    for (const Placement& placement :
         {Placement{contiguous}, Placement{contiguous, 3, 1}, Placement{interleaved, 0, 1},
          Placement{interleaved, 3}, Placement{pointers, 0, 1}, Placement{pointers, 3}}) {
      const auto got = run_case<TypeParam>(ArrayOperation::solve, a, b, placement, rhs == 1);
      EXPECT_TRUE(got.guards_hold);
      for (std::size_t k = 0; k < a.size(); ++k) {
        ASSERT_EQ(got.info[k], 0);
        EXPECT_LE(residual(TypeParam::n, a[k], got.b[k], b[k]), TestFixture::tolerance);
      }
    }
  }
}

TYPED_TEST(OursKernels, ExactTiesTakeTheFirstRowInTheCurrentOrder) {
  const auto a = many<TypeParam>([](Offset, std::mt19937& engine) {
    return tied_matrix<typename TestFixture::Real>(TypeParam::n, engine);
  });
  TestFixture::expect_factors(a, run_case<TypeParam>(ArrayOperation::lu, a, {}, {}, false));
}

TYPED_TEST(OursKernels, ZeroPivotsAreCountedAndPassed) {
  const auto a = TestFixture::with_zero_columns();
  TestFixture::expect_factors(a, run_case<TypeParam>(ArrayOperation::lu, a, {}, {}, false));
}

TYPED_TEST(OursKernels, ResultsOfSingularMatricesAreNaN) {
  const auto a = TestFixture::with_zero_columns();
  const auto b = many<TypeParam>([](Offset, std::mt19937& engine) {
    return random_matrix<typename TestFixture::Real>(TypeParam::n, 1, engine);
  });
  const auto inverse = run_case<TypeParam>(ArrayOperation::inverse, a, {}, {}, false);
  const auto solution = run_case<TypeParam>(ArrayOperation::solve, a, b, {}, false);
  for (Offset k = 0; k < TypeParam::count; ++k) {
    const bool singular = k % 4 != 3;
    const std::int32_t info = singular ? static_cast<std::int32_t>(k % TypeParam::n) + 1 : 0;
    EXPECT_EQ(inverse.info[at(k)], info);
    EXPECT_EQ(solution.info[at(k)], info);
    const auto is_nan = [](auto x) { return std::isnan(x); };
    EXPECT_EQ(std::ranges::all_of(inverse.a[at(k)], is_nan), singular);
    EXPECT_EQ(std::ranges::any_of(inverse.a[at(k)], is_nan), singular);
    EXPECT_EQ(std::ranges::all_of(solution.b[at(k)], is_nan), singular);
  }
}

TYPED_TEST(OursKernels, EndsOfTheRange) {
  const auto a = TestFixture::extreme();
  TestFixture::expect_factors(a, run_case<TypeParam>(ArrayOperation::lu, a, {}, {}, false));
}

TYPED_TEST(OursKernels, OneMatrixDoesNotTouchAnother) {
  const auto good = TestFixture::random();
  auto bad = good;
  using Limits = std::numeric_limits<typename TestFixture::Real>;
  for (std::size_t k = 0; k < bad.size(); k += 3) {
    bad[k][k % bad[k].size()] = k % 2 == 0 ? Limits::infinity() : Limits::quiet_NaN();
  }
  for (const auto operation : {ArrayOperation::lu, ArrayOperation::inverse}) {
    const auto expected = run_case<TypeParam>(operation, good, {}, {}, false);
    const auto got = run_case<TypeParam>(operation, bad, {}, {}, false);
    for (std::size_t k = 0; k < bad.size(); ++k) {
      if (k % 3 == 0) continue;
      EXPECT_EQ(got.a[k], expected.a[k]) << "matrix " << k;
    }
  }
}

// Bits depend on the matrix alone: not on its place in the batch, nor on how many there are.
TYPED_TEST(OursKernels, PlaceInTheBatchDoesNotMatter) {
  auto a = TestFixture::random();
  const auto expected = run_case<TypeParam>(ArrayOperation::lu, a, {}, {}, false);
  std::ranges::rotate(a, a.begin() + 1);
  a.pop_back();
  const auto got = run_case<TypeParam>(ArrayOperation::lu, a, {}, {}, true);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(got.a[k], expected.a[k + 1]);
}

}  // namespace
}  // namespace lufact::gpu::ours
