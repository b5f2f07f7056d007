// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "core/measure/clock.hpp"
#include "core/measure/phase_recorder.hpp"
#include "gpu/batch/test/batch_on_device.hpp"
#include "gpu/dense/device_dense_arrays.hpp"
#include "gpu/dense/ours/mixed_solver.hpp"

namespace lufact::gpu::blocked {
namespace {

struct Case {
  Index n = 1, rhs = 1;
  std::string input = "random";
  ArrayPivoting pivoting = ArrayPivoting::partial;
  Index pad = 3;  // ld - n
  int block = 64;
  FactorArithmetic arithmetic = FactorArithmetic::float32;
};

struct Ran {
  DenseCheck check;
  std::int32_t info = 0;
  std::string bits;
  std::optional<RefinementRecord> refinement;

  bool is_double(Index n) const {
    return check.error <= 30 * std::numeric_limits<double>::epsilon() * n;
  }
};

class MixedSolverTest : public DeviceTest {
 protected:
  Ran run(const Case& given) {
    const ArrayProblem problem{.operation = ArrayOperation::solve,
                               .rows = given.n,
                               .columns = given.n,
                               .ld = given.n + given.pad,
                               .rhs = given.rhs,
                               .pivoting = given.pivoting,
                               .arithmetic = given.arithmetic};
    const DenseMatrixSource source({.input = given.input, .m = given.n, .n = given.n});
    DeviceDenseArrays arrays(*session, problem, source, 8);
    MixedSolver solver(*session, problem, {.block = given.block});
    Ran first = run(arrays, solver, given.pivoting);
    const Ran second = run(arrays, solver, given.pivoting);
    EXPECT_EQ(first.bits, second.bits);
    return first;
  }

  // By `method`; null: by any.
  void expect_double(const Case& given, const char* method) {
    SCOPED_TRACE(std::to_string(given.n) + " " + given.input + ", rhs " +
                 std::to_string(given.rhs) + " in " + std::string(to_string(given.arithmetic)) +
                 (given.pivoting == ArrayPivoting::none ? ", no pivoting" : ""));
    const Ran ran = run(given);
    EXPECT_TRUE(ran.is_double(given.n)) << ran.check.error;
    EXPECT_FALSE(ran.check.wrong_info) << ran.info;
    ASSERT_TRUE(ran.refinement.has_value());
    if (method != nullptr) {
      EXPECT_EQ(ran.refinement->method, method);
    }
    EXPECT_EQ(static_cast<Offset>(ran.refinement->history.size()), ran.refinement->steps + 1);
  }

 private:
  static Ran run(DeviceDenseArrays& arrays, MixedSolver& solver, ArrayPivoting pivoting) {
    arrays.restore();
    solver.run(arrays.operands());
    const bool pivots = pivoting == ArrayPivoting::partial;
    return {.check = arrays.check({.has_pivots = pivots, .threads = 8}),
            .info = arrays.info(),
            .bits = arrays.values_sha256(),
            .refinement = solver.refinement()};
  }
};

// On one stream, with the time of every part, and the same bits.
TEST_F(MixedSolverTest, AProfileHasTheParts) {
  const Index n = 200;
  const ArrayProblem problem{.operation = ArrayOperation::solve,
                             .rows = n,
                             .columns = n,
                             .ld = n,
                             .rhs = 1,
                             .pivoting = ArrayPivoting::partial,
                             .arithmetic = FactorArithmetic::tf32};
  DeviceDenseArrays arrays(*session, problem, DenseMatrixSource({.m = n, .n = n}), 2);
  MixedSolver solver(*session, problem, {.block = 64});
  arrays.restore();
  solver.run(arrays.operands());
  const std::string bits = arrays.values_sha256();
  arrays.restore();
  const SteadyClock clock;
  PhaseRecorder phases(clock, &session->probe());
  solver.profile(arrays.operands(), phases);
  std::set<std::string> names;
  for (const PhaseTime& phase : phases.take()) names.insert(phase.name);
  for (const char* name : {"numeric", "numeric/rounding", "numeric/diagonal", "numeric/triangular",
                           "numeric/product", "refinement"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_EQ(arrays.values_sha256(), bits);
}

TEST_F(MixedSolverTest, SanitizeFloatFactorsAreRefinedToDouble) {
  for (const Index n : {1, 2, 33, 64, 129, 200}) {
    for (const Index rhs : {1, 3}) {
      for (const char* input : {"dominant", "condition:1e2", "condition:1e4"}) {
        expect_double({.n = n, .rhs = rhs, .input = input}, "classical");
      }
      expect_double(
          {.n = n, .rhs = rhs, .input = "dominant", .pivoting = ArrayPivoting::none, .pad = 0},
          "classical");
    }
  }
}

constexpr std::array lower{FactorArithmetic::tf32, FactorArithmetic::half,
                           FactorArithmetic::bfloat};

TEST_F(MixedSolverTest, SanitizeProductsInLowerNumbers) {
  for (const FactorArithmetic arithmetic : lower) {
    for (const Index n : {1, 33, 100, 200}) {
      expect_double({.n = n, .input = "dominant", .block = 32, .arithmetic = arithmetic},
                    "classical");
      expect_double({.n = n,
                     .rhs = 2,
                     .input = "dominant",
                     .pivoting = ArrayPivoting::none,
                     .arithmetic = arithmetic},
                    "classical");
      expect_double({.n = n, .input = "condition:1e2", .block = 32, .arithmetic = arithmetic},
                    nullptr);
    }
  }
}

TEST_F(MixedSolverTest, LargerProductsInLowerNumbers) {
  for (const FactorArithmetic arithmetic : lower) {
    for (const Index n : {1000, 1025, 2048}) {
      expect_double({.n = n, .input = "dominant", .block = 256, .arithmetic = arithmetic},
                    "classical");
      expect_double({.n = n, .input = "condition:1e2", .block = 256, .arithmetic = arithmetic},
                    nullptr);
    }
  }
}

TEST_F(MixedSolverTest, LargerOnesAndManyRightHandSides) {
  for (const Index n : {1000, 1025, 2048}) {
    for (const int block : {64, 256}) {
      expect_double({.n = n, .input = "condition:1e3", .block = block}, "classical");
      expect_double({.n = n, .rhs = 70, .input = "dominant", .pad = 0, .block = block},
                    "classical");
    }
  }
}

TEST_F(MixedSolverTest, EndsOfDoublesRangeAreFarFromFloats) {
  for (const char* input : {"special:tiny", "special:huge"}) {
    expect_double({.n = 200, .input = input}, "classical");
  }
}

TEST_F(MixedSolverTest, WhereRefinementStagnatesGmresGoesOn) {
  const Ran ran = run({.n = 1000,
                       .rhs = 2,
                       .input = "condition:1e8",
                       .pivoting = ArrayPivoting::partial,
                       .arithmetic = FactorArithmetic::tf32});
  EXPECT_TRUE(ran.is_double(1000)) << ran.check.error;
  ASSERT_TRUE(ran.refinement.has_value());
  EXPECT_EQ(ran.refinement->method, "gmres");
  EXPECT_GT(ran.refinement->history.front(), ran.refinement->history.back());
}

// Whether steps of the classical kind are enough depends on how the products were rounded.
TEST_F(MixedSolverTest, IllConditionedSystemsAreSolvedInDouble) {
  for (const ArrayPivoting pivoting : {ArrayPivoting::partial, ArrayPivoting::none}) {
    const Ran ran = run({.n = 200, .rhs = 2, .input = "condition:1e9", .pivoting = pivoting});
    EXPECT_TRUE(ran.is_double(200)) << ran.check.error;
  }
}

TEST_F(MixedSolverTest, RefinementThatCannotSucceedEnds) {
  for (const char* input : {"hilbert", "special:nan", "special:inf"}) {
    const Ran ran = run({.n = 300, .input = input});
    if (ran.info == 0 && ran.refinement) {
      EXPECT_LE(ran.refinement->steps, 40) << input;
    }
  }
}

TEST_F(MixedSolverTest, ZeroPivotsLeaveNoSolution) {
  for (const Index n : {1, 33, 300}) {
    const Ran ran = run({.n = n, .rhs = 2, .input = "singular:" + std::to_string(n / 2 + 1)});
    EXPECT_EQ(ran.info, n / 2 + 1);
    EXPECT_FALSE(ran.check.wrong_not_nan);
    EXPECT_FALSE(ran.refinement.has_value());
  }
}

}  // namespace
}  // namespace lufact::gpu::blocked
