// SPDX-License-Identifier: BSD-3-Clause
// The kernels' own code on lanes that take turns (emulated_lanes.hpp), against the sequential twin.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/reference/dense_lu.hpp"
#include "gpu/batch/ours/rows_inverse.cuh"
#include "gpu/batch/ours/rows_lu.cuh"
#include "gpu/batch/ours/rows_solve.cuh"
#include "gpu/batch/ours/test/emulated_lanes.hpp"
#include "gpu/batch/ours/thread_inverse.cuh"
#include "gpu/batch/ours/thread_solve.cuh"

namespace lufact::gpu::ours {
namespace {

using Lanes = EmulatedLanes;
using testing::Each;
using testing::Eq;

std::size_t at(Offset value) {
  return static_cast<std::size_t>(value);
}

// A layout of lanes: R = 0 is a matrix a thread.
template <class RealType, int Order, int Rows, int LanesOfGroup>
struct Case {
  using Real = RealType;
  static constexpr int n = Order, rows = Rows, group = LanesOfGroup;
  static constexpr int per_warp = rows == 0 ? lanes_per_warp : lanes_per_warp / group;
  static constexpr Offset count = per_warp + per_warp / 2 + 2;  // the last warp is not full

  static constexpr int real = static_cast<int>(sizeof(Real));
  static constexpr int shared_bytes =
      rows == 0 ? thread_shared_bytes(n, real) : rows_shared_bytes(n, group, real);

  static void run(ArrayOperation operation, const BatchKernelArguments& arguments, char* shared) {
    if constexpr (rows == 0) {
      if (operation == ArrayOperation::lu) thread_lu<Lanes, Real, n>(arguments, shared);
      if (operation == ArrayOperation::inverse) thread_inverse<Lanes, Real, n>(arguments, shared);
      if (operation == ArrayOperation::solve) thread_solve<Lanes, Real, n>(arguments, shared);
    } else {
      constexpr int r = rows, g = group;
      if (operation == ArrayOperation::lu) rows_lu<Lanes, Real, n, r, g>(arguments, shared);
      if (operation == ArrayOperation::inverse) {
        rows_inverse<Lanes, Real, n, r, g>(arguments, shared);
      }
      if (operation == ArrayOperation::solve) rows_solve<Lanes, Real, n, r, g>(arguments, shared);
    }
  }
};

// Matrices of n rows and some columns in a layout, at an address that is `shift` entries behind a
// multiple of 16, with guards around.
template <class Real>
class Array {
 public:
  Array(ArrayLayout layout, Offset count, int n, int columns, int ld, int shift)
      : layout_(layout), count_(count), n_(n), columns_(columns), ld_(ld) {
    memory_.assign(at(count * ld * columns) + 32, guard);
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    first_ = memory_.data() + (16 - address % 16) % 16 / sizeof(Real) + 4 + shift;
    for (Offset k = 0; k < count; ++k) {
      pointers_.push_back(first_ + (count - 1 - k) * ld * columns);
    }
  }
  void* argument() {
    return layout_ == ArrayLayout::pointers ? static_cast<void*>(pointers_.data()) : first_;
  }
  Real& entry(Offset k, Offset i, Offset j) {
    switch (layout_) {
      case ArrayLayout::pointers:
        return pointers_[at(k)][j * ld_ + i];
      case ArrayLayout::interleaved:
        return first_[(j * ld_ + i) * count_ + k];
      default:
        return first_[(k * columns_ + j) * ld_ + i];
    }
  }
  void put(Offset k, const std::vector<Real>& matrix) {
    for (int j = 0; j < columns_; ++j) {
      for (int i = 0; i < n_; ++i) entry(k, i, j) = matrix[at(j * n_ + i)];
    }
  }
  std::vector<Real> take(Offset k) {
    std::vector<Real> matrix(at(n_ * columns_));
    for (int j = 0; j < columns_; ++j) {
      for (int i = 0; i < n_; ++i) matrix[at(j * n_ + i)] = entry(k, i, j);
    }
    return matrix;
  }
  // Whether anything but entries of matrices was written.
  bool guards_hold() {
    for (Offset k = 0; k < count_; ++k) put(k, std::vector<Real>(at(n_ * columns_), guard));
    return std::ranges::all_of(memory_, [](Real x) { return x == guard; });
  }

 private:
  static constexpr Real guard = 77;
  ArrayLayout layout_;
  Offset count_;
  int n_, columns_, ld_;
  std::vector<Real> memory_;
  Real* first_;
  std::vector<Real*> pointers_;
};

template <class Real>
using Matrices = std::vector<std::vector<Real>>;

struct Placement {
  ArrayLayout layout = ArrayLayout::contiguous;
  int padding = 0, shift = 0, result_shift = 0;
};

template <class Real>
struct Results {
  Matrices<Real> a, b;
  std::vector<std::int32_t> pivots, info;
  bool guards_hold = true;
};

// `backwards`: the order in which lanes take their turns.
template <class Case>
Results<typename Case::Real> run_case(ArrayOperation operation,
                                      const Matrices<typename Case::Real>& a,
                                      const Matrices<typename Case::Real>& b,
                                      const Placement& placement, bool backwards) {
  using Real = typename Case::Real;
  const auto count = static_cast<Offset>(a.size());
  const int rhs = b.empty() ? 0 : static_cast<int>(b[0].size()) / Case::n;
  const int ld = Case::n + placement.padding;
  Array<Real> input(placement.layout, count, Case::n, Case::n, ld, placement.shift);
  Array<Real> output(placement.layout, count, Case::n, Case::n, ld, placement.result_shift);
  Array<Real> sides(placement.layout, count, Case::n, std::max(rhs, 1), Case::n, placement.shift);
  for (Offset k = 0; k < count; ++k) {
    input.put(k, a[at(k)]);
    if (rhs > 0) sides.put(k, b[at(k)]);
  }
  Results<Real> results;
  results.pivots.assign(at(count * Case::n + 1), -7);
  results.info.assign(at(count + 1), -7);
  BatchKernelArguments arguments{.a = input.argument(),
                                 .result = output.argument(),
                                 .b = sides.argument(),
                                 .pivots = results.pivots.data(),
                                 .info = results.info.data(),
                                 .count = count,
                                 .ld = ld,
                                 .rhs = rhs,
                                 .layout = static_cast<std::int32_t>(placement.layout)};
  struct alignas(128) Line {
    char bytes[128];
  };
  std::vector<Line> shared(2 * Case::shared_bytes / 128);
  const Offset warps = (count + Case::per_warp - 1) / Case::per_warp + 1;  // one has nothing to do
  for (Offset w = 0; w < warps; ++w) {
    EmulatedWarp warp(w, static_cast<int>(w % 2), backwards);
    warp.run([&] { Case::run(operation, arguments, shared[0].bytes); });
  }
  for (Offset k = 0; k < count; ++k) {
    results.a.push_back(output.take(k));
    if (rhs > 0) results.b.push_back(sides.take(k));
  }
  EXPECT_EQ(results.pivots.back(), -7);
  EXPECT_EQ(results.info.back(), -7);
  results.guards_hold = input.guards_hold() && output.guards_hold() && sides.guards_hold();
  return results;
}

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

using Cases =
    testing::Types<Case<double, 1, 0, 1>, Case<float, 4, 0, 1>, Case<double, 7, 0, 1>,
                   Case<double, 2, 1, 4>, Case<float, 5, 2, 4>, Case<double, 9, 3, 4>,
                   Case<double, 16, 2, 8>, Case<float, 17, 5, 4>, Case<double, 20, 3, 8>,
                   Case<float, 28, 2, 16>, Case<double, 32, 1, 32>, Case<float, 33, 3, 16>>;
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

TYPED_TEST(OursKernels, Solutions) {
  const auto a = TestFixture::random();
  using enum ArrayLayout;
  for (const int rhs : {1, TypeParam::n}) {
    const auto b = many<TypeParam>([rhs](Offset, std::mt19937& engine) {
      return random_matrix<typename TestFixture::Real>(TypeParam::n, rhs, engine);
    });
    for (const ArrayLayout layout : {contiguous, interleaved, pointers}) {
      const auto got =
          run_case<TypeParam>(ArrayOperation::solve, a, b, {layout, 0, 1, 1}, rhs == 1);
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
