// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "core/array/guarded_array.hpp"
#include "core/base/error.hpp"
#include "gpu/batch/test/batch_on_device.hpp"
#include "gpu/dense/device_dense_arrays.hpp"
#include "gpu/dense/ours/hybrid_lu.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu::blocked {
namespace {

template <class T>
constexpr Precision precision_of = sizeof(T) == 8 ? Precision::float64 : Precision::float32;

struct Case {
  Index m = 1, n = 1;
  std::string input = "random";
  ArrayPivoting pivoting = ArrayPivoting::partial;
  Index rhs = 0, pad = 3;  // ld - m
  int block = 128;
  DenseProduct product = DenseProduct::own;
  Index late_order = least_late_order, front_order = largest_graph_order;
};

double epsilon_of(Precision precision) {
  return precision == Precision::float64 ? std::numeric_limits<double>::epsilon()
                                         : double{std::numeric_limits<float>::epsilon()};
}

template <class T>
class OnDevice {
 public:
  OnDevice(DeviceSession& session, const Case& given)
      : session_(session),
        given_(given),
        problem_(problem_of(given)),
        source_({.input = given.input, .m = given.m, .n = given.n}),
        arrays_(session, problem_, source_, 8),
        lu_(session, problem_,
            {.block = given.block,
             .product = given.product,
             .late_order = given.late_order,
             .front_order = given.front_order,
             .threads = 8}) {}

  void run() {
    arrays_.restore();
    lu_.run(arrays_.operands());
    session_.synchronize();
  }
  DenseCheck check() {
    run();
    return arrays_.check({.has_pivots = given_.pivoting == ArrayPivoting::partial, .threads = 8});
  }

  // What stands in the rows m to ld of A, which no kernel may write.
  std::vector<T> padding() {
    std::vector<T> a(at(Offset{problem_.ld} * problem_.columns)), rest;
    session_.copy_to_host(a.data(), arrays_.operands().a, a.size() * sizeof(T));
    for (Index j = 0; j < problem_.columns; ++j) {
      for (Index i = problem_.rows; i < problem_.ld; ++i) {
        rest.push_back(a[at(Offset{j} * problem_.ld + i)]);
      }
    }
    return rest;
  }

  void expect_right() {
    SCOPED_TRACE(std::to_string(given_.m) + " x " + std::to_string(given_.n) + " " + given_.input +
                 (given_.pivoting == ArrayPivoting::none ? ", no pivoting" : "") + ", block " +
                 std::to_string(given_.block) + ", rhs " + std::to_string(given_.rhs));
    arrays_.restore();
    const std::vector<T> before = padding();
    const DenseCheck check = this->check();
    const double bound = 30 * epsilon_of(precision_of<T>) * (given_.rhs > 0 ? given_.n : 1);
    if (check.judged_error) {
      EXPECT_LE(check.error, bound);
    }
    EXPECT_FALSE(check.wrong_info) << arrays_.info();
    EXPECT_FALSE(check.wrong_not_nan);
    if (check.pivots) {
      EXPECT_EQ(check.pivots->different, 0);
    }
    EXPECT_TRUE(same(before, padding()));
  }
  std::int32_t info() { return arrays_.info(); }
  std::string bits() { return arrays_.values_sha256() + arrays_.pivots_sha256(); }

 private:
  static ArrayProblem problem_of(const Case& given) {
    return {.operation = given.rhs > 0 ? ArrayOperation::solve : ArrayOperation::lu,
            .rows = given.m,
            .columns = given.n,
            .ld = given.m + given.pad,
            .rhs = given.rhs,
            .precision = precision_of<T>,
            .pivoting = given.pivoting};
  }
  static bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), same_bits<T>);
  }

  DeviceSession& session_;
  const Case given_;
  const ArrayProblem problem_;
  const DenseMatrixSource source_;
  DeviceDenseArrays arrays_;
  HybridLu<T> lu_;
};

template <class T>
class HybridLuTest : public DeviceTest {
 protected:
  void expect_right(const Case& given) { OnDevice<T>(*this->session, given).expect_right(); }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(HybridLuTest, Reals);

TYPED_TEST(HybridLuTest, SanitizeSquareWithPivots) {
  for (const Index n : {1, 2, 7, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129}) {
    for (const char* input : {"random", "ties", "dominant"}) {
      this->expect_right({.m = n, .n = n, .input = input});
    }
  }
}

TYPED_TEST(HybridLuTest, SanitizeSquareWithoutPivots) {
  for (const Index n : {1, 2, 7, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129}) {
    this->expect_right(
        {.m = n, .n = n, .input = "dominant", .pivoting = ArrayPivoting::none, .pad = n % 2});
  }
}

TYPED_TEST(HybridLuTest, LargeSquare) {
  for (const auto& [n, pad] :
       {std::pair{500, 0}, {1000, 0}, {1000, 1}, {1023, 1}, {1023, 2}, {1025, 0}}) {
    this->expect_right({.m = n, .n = n, .pad = pad});
    this->expect_right(
        {.m = n, .n = n, .input = "dominant", .pivoting = ArrayPivoting::none, .pad = pad});
  }
  this->expect_right({.m = 1000, .n = 1000, .input = "ties", .pad = 0});
  this->expect_right({.m = 500, .n = 500, .input = "hilbert", .pad = 0});
}

TYPED_TEST(HybridLuTest, Blocks) {
  for (const int block : {32, 64, 96, 128, 160, 256, 512, 1024}) {
    for (const ArrayPivoting pivoting : {ArrayPivoting::none, ArrayPivoting::partial}) {
      this->expect_right(
          {.m = 300, .n = 300, .input = "dominant", .pivoting = pivoting, .block = block});
      this->expect_right(
          {.m = 421, .n = 333, .input = "dominant", .pivoting = pivoting, .block = block});
    }
    this->expect_right({.m = 300, .n = 300, .input = "random", .block = block});
  }
}

TYPED_TEST(HybridLuTest, BlocksThatAreSolvedInParts) {
  for (const int block : {256, 384, 512, 1024}) {
    for (const auto& [m, n] : {std::pair{1100, 1100}, {1300, 900}, {700, 1500}}) {
      this->expect_right({.m = m, .n = n, .block = block});
      this->expect_right(
          {.m = m, .n = n, .input = "dominant", .pivoting = ArrayPivoting::none, .block = block});
    }
  }
}

TYPED_TEST(HybridLuTest, LateExchangesOfTheLeftHaveTheSameBits) {
  for (const auto& [m, n, block] : {std::tuple{33, 33, 32},
                                    {300, 300, 32},
                                    {1100, 1100, 256},
                                    {9000, 100, 64},
                                    {130, 700, 32}}) {
    Case given{.m = m, .n = n, .block = block};
    OnDevice<TypeParam> at_once(*this->session, given);
    given.late_order = 1;
    OnDevice<TypeParam> late(*this->session, given);
    late.expect_right();
    at_once.run();
    EXPECT_EQ(late.bits(), at_once.bits()) << m << " x " << n;
  }
}

TYPED_TEST(HybridLuTest, SanitizeLastColumnsAsOneFront) {
  for (const Index n : {33, 129, 200}) {
    for (const Index front_order : {1, 32, 100}) {
      Case given{.m = n, .n = n, .input = "dominant", .pivoting = ArrayPivoting::none, .block = 32};
      given.front_order = front_order;
      this->expect_right(given);
      given.rhs = 3;
      this->expect_right(given);
    }
  }
}

TYPED_TEST(HybridLuTest, LastColumnsAsOneFront) {
  for (const auto& [n, front_order, block] : {std::tuple{500, 300, 64},
                                              {1000, 500, 256},
                                              {1023, 64, 512},
                                              {1025, 1000, 512},
                                              {2100, 1100, 128}}) {
    for (const Index pad : {0, 1}) {
      Case given{.m = n,
                 .n = n,
                 .input = "dominant",
                 .pivoting = ArrayPivoting::none,
                 .pad = pad,
                 .block = block};
      given.front_order = front_order;
      this->expect_right(given);
    }
  }
}

// In a block, in the first tile of the front, in its last.
TYPED_TEST(HybridLuTest, ZeroPivotsBeforeAndInTheLastFront) {
  for (const char* input : {"singular:7", "zero-minor:7", "singular:70", "zero-minor:70",
                            "singular:200", "zero-minor:200"}) {
    Case given{.m = 200, .n = 200, .input = input, .pivoting = ArrayPivoting::none, .block = 64};
    given.front_order = 136;
    this->expect_right(given);
  }
}

TYPED_TEST(HybridLuTest, EveryRunWithALastFrontHasTheSameBits) {
  Case given{.m = 1000, .n = 1000, .input = "dominant", .pivoting = ArrayPivoting::none};
  given.front_order = 500;
  OnDevice<TypeParam> lu(*this->session, given);
  lu.run();
  const std::string bits = lu.bits();
  for (int repetition = 0; repetition < 100; ++repetition) {
    lu.run();
    ASSERT_EQ(lu.bits(), bits) << "repetition " << repetition;
  }
}

TYPED_TEST(HybridLuTest, ProductsOfCublas) {
  try {
    const CublasProduct found(*this->session, this->session->stream());
  } catch (const Error& error) {
    ASSERT_EQ(error.code(), "no_cublas");
    GTEST_SKIP() << error.what();
  }
  for (const ArrayPivoting pivoting : {ArrayPivoting::none, ArrayPivoting::partial}) {
    this->expect_right({.m = 500,
                        .n = 700,
                        .input = "dominant",
                        .pivoting = pivoting,
                        .product = DenseProduct::cublas});
  }
}

TYPED_TEST(HybridLuTest, TallAndWide) {
  for (const auto& [m, n] : {std::pair{1, 100},
                             {100, 1},
                             {31, 500},
                             {500, 31},
                             {257, 1000},
                             {9000, 40},
                             {20000, 65},
                             {3000, 300},
                             {65, 3000}}) {
    this->expect_right({.m = m, .n = n});
    this->expect_right({.m = m, .n = n, .input = "ties", .pad = 0});
    this->expect_right({.m = m, .n = n, .input = "dominant", .pivoting = ArrayPivoting::none});
  }
}

TYPED_TEST(HybridLuTest, VeryTallPanelsAreNarrow) {
  for (const Index m : {70'000, 150'000, 300'000, 600'000, 1'000'000}) {
    for (const char* input : {"random", "ties", "singular:7"}) {
      this->expect_right({.m = m, .n = 19, .input = input, .pad = 0});
    }
  }
  this->expect_right({.m = 70'000, .n = 75, .pad = 0, .block = 32});
}

// Of rows in shared memory, and of more blocks than a warp reads messages of at a time.
TYPED_TEST(HybridLuTest, SanitizeManyBlocks) {
  this->expect_right({.m = 140'000, .n = 5});
  this->expect_right({.m = 20'000, .n = 34});
}

TYPED_TEST(HybridLuTest, ZeroPivots) {
  for (const Index n : {1, 33, 128, 300}) {
    for (const Index column : {Index{1}, n / 2 + 1, n}) {
      const std::string k = std::to_string(column);
      this->expect_right({.m = n, .n = n, .input = "singular:" + k});
      this->expect_right({.m = n, .n = n, .input = "zero-minor:" + k});
      this->expect_right(
          {.m = n, .n = n, .input = "singular:" + k, .pivoting = ArrayPivoting::none});
      this->expect_right(
          {.m = n, .n = n, .input = "zero-minor:" + k, .pivoting = ArrayPivoting::none});
      this->expect_right({.m = n, .n = n, .input = "singular:" + k, .rhs = 2});
    }
  }
}

TYPED_TEST(HybridLuTest, NumbersAtTheEndsOfTheRange) {
  for (const char* input :
       {"special:subnormal", "special:tiny", "special:huge", "special:nan", "special:inf"}) {
    this->expect_right({.m = 200, .n = 200, .input = input});
    this->expect_right({.m = 200, .n = 200, .input = input, .pivoting = ArrayPivoting::none});
  }
}

TYPED_TEST(HybridLuTest, SanitizeSolutions) {
  for (const Index n : {1, 31, 33, 128, 129, 200}) {
    for (const Index rhs : {1, 3, 8, 9, 40}) {
      this->expect_right({.m = n, .n = n, .rhs = rhs});
      this->expect_right(
          {.m = n, .n = n, .input = "dominant", .pivoting = ArrayPivoting::none, .rhs = rhs});
    }
  }
}

TYPED_TEST(HybridLuTest, ManyRightHandSides) {
  this->expect_right({.m = 1000, .n = 1000, .rhs = 1});
  this->expect_right({.m = 3001, .n = 3001, .rhs = 1, .pad = 0});
  this->expect_right({.m = 1500, .n = 1500, .rhs = 8});
  this->expect_right({.m = 1025, .n = 1025, .rhs = 1024});
}

TYPED_TEST(HybridLuTest, EveryRunHasTheSameBits) {
  for (const auto& [m, n] : {std::pair{129, 129}, {1000, 1000}, {9000, 64}}) {
    for (const ArrayPivoting pivoting : {ArrayPivoting::none, ArrayPivoting::partial}) {
      OnDevice<TypeParam> lu(*this->session,
                             {.m = m, .n = n, .input = "dominant", .pivoting = pivoting});
      lu.run();
      const std::string bits = lu.bits();
      for (int repetition = 0; repetition < 100; ++repetition) {
        lu.run();
        ASSERT_EQ(lu.bits(), bits) << m << " x " << n << ", repetition " << repetition;
      }
    }
  }
}

// Panels of one block, of a cluster and of a grid, whose blocks start late and apart, and products
// of blocks that are late.
TYPED_TEST(HybridLuTest, StressEveryRunBesideACompetingKernelGivesTheSameBits) {
  const testing_support::OtherStream other;
  for (const Case& given :
       {Case{.m = 200, .n = 200, .input = "ties", .block = 32},
        Case{.m = 700, .n = 700, .block = 64}, Case{.m = 2100, .n = 500, .block = 32},
        Case{.m = 9000, .n = 100, .block = 32}}) {
    OnDevice<TypeParam> lu(*this->session, given);
    lu.run();
    const std::string bits = lu.bits();
    for (std::uint64_t repetition = 0; repetition < 100; ++repetition) {
      other.occupy_randomly(this->session->sm_count(), repetition);
      lu.run();
      ASSERT_EQ(lu.bits(), bits) << given.m << " x " << given.n << ", repetition " << repetition;
    }
  }
}

}  // namespace
}  // namespace lufact::gpu::blocked
