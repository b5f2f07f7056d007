// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/dense/cpu/cpu_dense.hpp"
#include "core/dense/host_dense_arrays.hpp"
#include "core/verify/validate_batch.hpp"

namespace lufact {
namespace {

constexpr Index orders[] = {1,   2,   7,   31,  32,  33,   63,   64,  65,
                            100, 127, 128, 129, 500, 1000, 1023, 1025};

struct Shape {
  Index m, n;
};

struct Ran {
  DenseCheck check;
  std::string values, pivots;
  std::int32_t info = 0;
  std::optional<RefinementRecord> refinement;
};

struct Settings {
  std::string input = "random";
  ArrayPivoting pivoting = ArrayPivoting::partial;
  Precision precision = Precision::float64;
  FactorArithmetic arithmetic = FactorArithmetic::own;
  Index rhs = 0;  // 0: lu
  Index more_ld = 0;
  int threads = 1;
  std::optional<int> block{};
};

ArrayProblem problem_of(Shape shape, const Settings& settings) {
  return {.operation = settings.rhs > 0 ? ArrayOperation::solve : ArrayOperation::lu,
          .rows = shape.m,
          .columns = shape.n,
          .ld = shape.m + settings.more_ld,
          .rhs = settings.rhs,
          .precision = settings.precision,
          .pivoting = settings.pivoting,
          .arithmetic = settings.arithmetic};
}

Ran run_cpu(Shape shape, const Settings& settings) {
  const ArrayProblem problem = problem_of(shape, settings);
  const DenseMatrixSource source({.input = settings.input, .m = shape.m, .n = shape.n, .seed = 7});
  const auto arrays = make_host_dense_arrays(problem, source, {.threads = 1, .guard = 40});
  ArrayOptions options;
  options.threads = settings.threads;
  options.dense.block = settings.block;
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
  ArrayContext context{options, choices, warnings};
  const auto prepared = make_cpu_dense()->prepare(problem, context);
  for (int twice = 0; twice < 2; ++twice) {  // the second run starts where the first has left it
    arrays->restore();
    prepared->run(arrays->operands(), 1);
  }
  Ran ran;
  ran.check =
      arrays->check({.has_pivots = settings.pivoting == ArrayPivoting::partial, .threads = 1});
  ran.values = arrays->values_sha256();
  ran.pivots = arrays->pivots_sha256();
  ran.info = arrays->info();
  ran.refinement = prepared->refinement();
  EXPECT_TRUE(arrays->only_results_written());
  return ran;
}

void expect_right(const Ran& ran, Shape shape, const Settings& settings, const std::string& what) {
  const auto operation = settings.rhs > 0 ? ArrayOperation::solve : ArrayOperation::lu;
  EXPECT_LE(ran.check.error, batch_threshold(operation, settings.precision, shape.n)) << what;
  EXPECT_FALSE(ran.check.wrong_info) << what;
  EXPECT_FALSE(ran.check.wrong_not_nan) << what;
  EXPECT_EQ(ran.check.pivots ? ran.check.pivots->different : 0, 0) << what;
}

template <class Real>
class CpuDense : public testing::Test {
 protected:
  static constexpr Precision precision =
      sizeof(Real) == 4 ? Precision::float32 : Precision::float64;

  static void expect_lu(Shape shape, Settings settings) {
    settings.precision = precision;
    const std::string what = fmt::format("{} x {}, {}, {}", shape.m, shape.n, settings.input,
                                         to_string(settings.pivoting));
    const Ran ran = run_cpu(shape, settings);
    EXPECT_EQ(ran.info, 0) << what;
    expect_right(ran, shape, settings, what);
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(CpuDense, Reals);

TYPED_TEST(CpuDense, EveryOrderWithAndWithoutPivoting) {
  for (const Index n : orders) {
    this->expect_lu({n, n}, {.input = "random"});
    this->expect_lu({n, n}, {.input = "dominant", .pivoting = ArrayPivoting::none});
  }
}

TYPED_TEST(CpuDense, TallAndWideMatricesWithSpareRows) {
  for (const Shape shape : {Shape{5000, 1},
                            {1, 300},
                            {3000, 16},
                            {700, 65},
                            {130, 129},
                            {129, 130},
                            {64, 200},
                            {65, 200},
                            {3, 100},
                            {16, 1000},
                            {257, 70}}) {
    for (const Index more : {0, 1, 13}) {
      this->expect_lu(shape, {.input = "random", .more_ld = more});
      this->expect_lu(shape,
                      {.input = "dominant", .pivoting = ArrayPivoting::none, .more_ld = more});
    }
  }
}

TYPED_TEST(CpuDense, EveryKindOfMatrix) {
  for (const char* input : {"condition:1e3", "hilbert", "toeplitz", "ties", "dominant"}) {
    for (const Index n : {7, 65, 129, 300}) {
      const Ran ran = run_cpu({n, n}, {.input = input, .precision = TestFixture::precision});
      expect_right(ran, {n, n}, {.precision = TestFixture::precision},
                   fmt::format("{} {}", input, n));
    }
  }
  for (const char* input : {"dominant", "toeplitz"}) {
    this->expect_lu({100, 100}, {.input = "dominant", .pivoting = ArrayPivoting::none});
    this->expect_lu({100, 100}, {.input = input});
  }
}

TYPED_TEST(CpuDense, BlocksOfAnySize) {
  for (const int block : {8, 16, 40, 128, 256}) {
    this->expect_lu({300, 280}, {.block = block});
    this->expect_lu({280, 300},
                    {.input = "dominant", .pivoting = ArrayPivoting::none, .block = block});
  }
}

TYPED_TEST(CpuDense, TheSameBitsWithAnyNumberOfThreads) {
  for (const Shape shape : {Shape{150, 150}, {600, 40}, {64, 300}}) {
    for (const ArrayPivoting pivoting : {ArrayPivoting::partial, ArrayPivoting::none}) {
      Settings settings{.pivoting = pivoting, .precision = TestFixture::precision, .threads = 1};
      const Ran one = run_cpu(shape, settings);
      for (const int threads : {2, 3}) {
        settings.threads = threads;
        const Ran several = run_cpu(shape, settings);
        EXPECT_EQ(one.values, several.values);
        EXPECT_EQ(one.pivots, several.pivots);
      }
    }
  }
}

// Panels of many rows, which several threads eliminate while others update what is behind them.
TYPED_TEST(CpuDense, TheSameBitsHoweverManyThreadsHaveThePanel) {
  for (const Shape shape : {Shape{900, 140}, {400, 400}}) {
    for (const char* input : {"random", "ties", "singular:77"}) {
      for (const ArrayPivoting pivoting : {ArrayPivoting::partial, ArrayPivoting::none}) {
        Settings settings{
            .input = input, .pivoting = pivoting, .precision = TestFixture::precision};
        if (shape.m != shape.n && std::string(input) != "random") continue;
        const Ran one = run_cpu(shape, settings);
        for (const int threads : {2, 5}) {
          settings.threads = threads;
          const Ran several = run_cpu(shape, settings);
          EXPECT_EQ(one.values, several.values) << input << ", " << threads << " threads";
          EXPECT_EQ(one.pivots, several.pivots) << input << ", " << threads << " threads";
          EXPECT_EQ(one.info, several.info);
        }
      }
    }
  }
}

TYPED_TEST(CpuDense, SolvesWithRightHandSidesOfAnyNumber) {
  for (const Index n : {1, 2, 7, 64, 65, 129, 500}) {
    for (const Index rhs : {1, 2, 4, 7, 65}) {
      for (const ArrayPivoting pivoting : {ArrayPivoting::partial, ArrayPivoting::none}) {
        const Settings settings{.input = "dominant",
                                .pivoting = pivoting,
                                .precision = TestFixture::precision,
                                .rhs = rhs,
                                .more_ld = 3};
        expect_right(run_cpu({n, n}, settings), {n, n}, settings,
                     fmt::format("order {}, {} right-hand sides", n, rhs));
      }
    }
  }
  const Settings many{.precision = TestFixture::precision, .rhs = 1024};
  expect_right(run_cpu({130, 130}, many), {130, 130}, many, "1024 right-hand sides");
}

TYPED_TEST(CpuDense, AZeroPivotIsTheFirstOne) {
  for (const Index n : {1, 5, 64, 65, 200}) {
    for (const Index column : {1, 2, n / 2 + 1, n}) {
      if (column > n) continue;
      const std::string input = fmt::format("singular:{}", column);
      for (const ArrayPivoting pivoting : {ArrayPivoting::partial, ArrayPivoting::none}) {
        Settings settings{
            .input = input, .pivoting = pivoting, .precision = TestFixture::precision};
        const Ran ran = run_cpu({n, n}, settings);
        EXPECT_EQ(ran.info, column) << input << " of order " << n;
        expect_right(ran, {n, n}, settings, input);
        settings.rhs = 2;
        const Ran solved = run_cpu({n, n}, settings);
        EXPECT_EQ(solved.info, column);
        EXPECT_FALSE(solved.check.wrong_not_nan);
      }
    }
  }
}

TYPED_TEST(CpuDense, AZeroMinorFailsWithoutPivotingOnly) {
  for (const Index column : {1, 7, 8, 9, 64, 99}) {
    Settings settings{.input = fmt::format("zero-minor:{}", column),
                      .pivoting = ArrayPivoting::none,
                      .precision = TestFixture::precision};
    const Ran ran = run_cpu({100, 100}, settings);
    EXPECT_EQ(ran.info, column);
    EXPECT_FALSE(ran.check.wrong_info);
    settings.pivoting = ArrayPivoting::partial;
    this->expect_lu({100, 100}, settings);
  }
}

TYPED_TEST(CpuDense, GrowthIsThatOfWilkinson) {
  for (const Index n : {20, 50, 100}) {
    const Ran ran = run_cpu({n, n}, {.input = "growth", .precision = TestFixture::precision});
    EXPECT_EQ(ran.check.growth, std::ldexp(1.0, n - 1));
  }
  const Ran beyond =
      run_cpu({1030, 1030}, {.input = "growth", .precision = TestFixture::precision});
  EXPECT_EQ(beyond.check.error, std::numeric_limits<double>::infinity());
}

TEST(CpuDense, NumbersAtTheEndsOfTheRange) {
  for (const char* input : {"special:subnormal", "special:tiny", "special:huge"}) {
    for (const Index rhs : {0, 2}) {
      for (const ArrayPivoting pivoting : {ArrayPivoting::partial, ArrayPivoting::none}) {
        const Settings settings{.input = input, .pivoting = pivoting, .rhs = rhs};
        if (rhs > 0 && std::string(input) == "special:subnormal") continue;  // x overflows
        expect_right(run_cpu({100, 100}, settings), {100, 100}, settings, input);
      }
    }
  }
}

TEST(CpuDense, NonfiniteInputIsCountedAndRefinedInBoundedSteps) {
  for (const char* input : {"special:nan", "special:inf"}) {
    EXPECT_TRUE(run_cpu({50, 50}, {.input = input}).check.nonfinite);
    const Ran mixed =
        run_cpu({50, 50}, {.input = input, .arithmetic = FactorArithmetic::float32, .rhs = 1});
    EXPECT_TRUE(mixed.check.nonfinite);
    ASSERT_TRUE(mixed.refinement.has_value());
    EXPECT_LE(mixed.refinement->steps, 40);
  }
}

TEST(CpuDense, FloatFactorsAreRefinedToDouble) {
  for (const Index n : {1, 2, 33, 64, 129, 500}) {
    for (const char* input : {"dominant", "condition:1e2", "condition:1e4"}) {
      const Settings settings{
          .input = input, .arithmetic = FactorArithmetic::float32, .rhs = 3, .more_ld = 2};
      const Ran ran = run_cpu({n, n}, settings);
      const std::string what = fmt::format("{} of order {}", input, n);
      expect_right(ran, {n, n}, settings, what);
      ASSERT_TRUE(ran.refinement.has_value());
      EXPECT_EQ(ran.refinement->method, "classical") << what;
      EXPECT_EQ(static_cast<Offset>(ran.refinement->history.size()), ran.refinement->steps + 1);
    }
  }
}

TEST(CpuDense, WhereRefinementStagnatesGmresGoesOn) {
  for (const ArrayPivoting pivoting : {ArrayPivoting::partial, ArrayPivoting::none}) {
    const Settings settings{.input = "condition:1e9",
                            .pivoting = pivoting,
                            .arithmetic = FactorArithmetic::float32,
                            .rhs = 2};
    const Ran ran = run_cpu({200, 200}, settings);
    ASSERT_TRUE(ran.refinement.has_value());
    EXPECT_EQ(ran.refinement->method, "gmres");
    EXPECT_LE(ran.check.error, batch_threshold(ArrayOperation::solve, Precision::float64, 200));
    EXPECT_GT(ran.refinement->history.front(), ran.refinement->history.back());
  }
}

TEST(CpuDense, RefinementThatCannotSucceedEnds) {
  const Ran ran =
      run_cpu({300, 300}, {.input = "hilbert", .arithmetic = FactorArithmetic::float32, .rhs = 1});
  if (ran.info != 0) return;  // singular in float
  ASSERT_TRUE(ran.refinement.has_value());
  EXPECT_LE(ran.refinement->steps, 40);
}

TEST(CpuDense, RefusesWhatItCannotDo) {
  const auto refused = [](const ArrayProblem& problem, const ArrayOptions& options) {
    std::vector<Choice> choices;
    std::vector<Warning> warnings;
    ArrayContext context{options, choices, warnings};
    EXPECT_THROW(make_cpu_dense()->prepare(problem, context), UsageError);
  };
  ArrayProblem problem{.rows = 10, .columns = 10, .ld = 10};
  for (const int block : {0, 4, 12, 264}) {
    ArrayOptions options;
    options.dense.block = block;
    refused(problem, options);
  }
  problem.arithmetic = FactorArithmetic::float32;
  refused(problem, {});
  problem.operation = ArrayOperation::solve;
  problem.arithmetic = FactorArithmetic::half;
  refused(problem, {});
}

}  // namespace
}  // namespace lufact
