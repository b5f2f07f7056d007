// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/measure/phase_recorder.hpp"
#include "gpu/batch/test/batch_on_device.hpp"
#include "gpu/dense/device_dense_arrays.hpp"
#include "gpu/dense/ours/ours_stages.hpp"

namespace lufact::gpu {
namespace {

class OursStagesTest : public DeviceTest {
 protected:
  static ArrayProblem problem(Index m, Index n, ArrayPivoting pivoting, Index rhs = 0) {
    return {.operation = rhs > 0 ? ArrayOperation::solve : ArrayOperation::lu,
            .rows = m,
            .columns = n,
            .ld = m,
            .rhs = rhs,
            .pivoting = pivoting};
  }

  std::unique_ptr<PreparedArrays> prepare(const ArrayStage& stage, const ArrayProblem& problem) {
    choices.clear();
    ArrayContext context{options, choices, warnings, &*session};
    return stage.prepare(problem, context);
  }

  void expect_right(const ArrayStage& stage, const ArrayProblem& problem, const char* input) {
    SCOPED_TRACE(stage.facts().name + " " + std::to_string(problem.rows) + " x " +
                 std::to_string(problem.columns) + " " + input);
    const DenseMatrixSource source({.input = input, .m = problem.rows, .n = problem.columns});
    DeviceDenseArrays arrays(*session, problem, source, 8);
    const auto prepared = prepare(stage, problem);
    for (int twice = 0; twice < 2; ++twice) {
      arrays.restore();
      prepared->run(arrays.operands(), 1);
      const bool pivots = problem.pivoting == ArrayPivoting::partial;
      const DenseCheck check = arrays.check({.has_pivots = pivots, .threads = 8});
      const double bound = 30 * std::numeric_limits<double>::epsilon();
      if (check.judged_error) {
        EXPECT_LE(check.error, bound * (problem.rhs > 0 ? problem.rows : 1));
      }
      EXPECT_FALSE(check.wrong_info) << arrays.info();
      EXPECT_FALSE(check.wrong_not_nan);
    }
  }

  ArrayOptions options;
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
};

TEST_F(OursStagesTest, TaskGraphFactorsAndSolves) {
  const auto stage = make_task_graph_array();
  for (const Index n : {1, 31, 64, 65, 129, 500, 1000}) {
    expect_right(*stage, problem(n, n, ArrayPivoting::none), "dominant");
    expect_right(*stage, problem(n, n, ArrayPivoting::none, 3), "dominant");
  }
  for (const char* input : {"zero-minor:1", "zero-minor:70", "singular:129"}) {
    expect_right(*stage, problem(129, 129, ArrayPivoting::none), input);
    expect_right(*stage, problem(129, 129, ArrayPivoting::none, 2), input);
  }
}

TEST_F(OursStagesTest, TaskGraphIsAccurateWhereInversesAreLarge) {
  const auto stage = make_task_graph_array();
  for (const Index n : {65, 500}) {
    for (const char* input : {"hilbert", "toeplitz"}) {
      expect_right(*stage, problem(n, n, ArrayPivoting::none), input);
      expect_right(*stage, problem(n, n, ArrayPivoting::none, 3), input);
    }
    expect_right(*stage, problem(n, n, ArrayPivoting::none), "special:subnormal");
  }
}

TEST_F(OursStagesTest, TaskGraphRecordsTilesWithoutInverses) {
  const auto stage = make_task_graph_array();
  const ArrayProblem given = problem(129, 129, ArrayPivoting::none);
  for (const bool hard : {true, false}) {
    const DenseMatrixSource source({.input = hard ? "hilbert" : "dominant", .m = 129, .n = 129});
    DeviceDenseArrays arrays(*session, given, source, 8);
    const auto prepared = prepare(*stage, given);
    arrays.restore();
    prepared->run(arrays.operands(), 1);
    EXPECT_EQ(prepared->launch().settings.at("tiles_without_inverses"), hard ? "3" : "0");
  }
}

TEST_F(OursStagesTest, FastRecordsItsChoice) {
  const auto stage = make_fast_dense_array();
  const auto chosen = [&](const ArrayProblem& problem) {
    expect_right(*stage, problem, "dominant");
    return choices.empty() ? "" : choices.front().chosen;
  };
  EXPECT_EQ(chosen(problem(300, 300, ArrayPivoting::partial)), "hybrid-tuned");
  EXPECT_EQ(chosen(problem(300, 300, ArrayPivoting::none)), "task-graph");
  EXPECT_EQ(chosen(problem(300, 200, ArrayPivoting::none)), "hybrid-tuned");
}

TEST_F(OursStagesTest, FactorsInLowerNumbersAreRefined) {
  for (const auto& stage : {make_fast_dense_array(), make_hybrid_tuned_array()}) {
    for (const ArrayPivoting pivoting : {ArrayPivoting::none, ArrayPivoting::partial}) {
      ArrayProblem mixed = problem(300, 300, pivoting, 2);
      mixed.arithmetic = FactorArithmetic::tf32;
      expect_right(*stage, mixed, "dominant");
      const auto prepared = prepare(*stage, mixed);
      EXPECT_EQ(prepared->launch().product, "tf32 tensor cores");
    }
  }
}

TEST_F(OursStagesTest, LaunchesOfARunAreCounted) {
  const auto stage = make_hybrid_tuned_array();
  const ArrayProblem given = problem(256, 256, ArrayPivoting::none);
  const DenseMatrixSource source({.input = "dominant", .m = 256, .n = 256});
  DeviceDenseArrays arrays(*session, given, source, 8);
  const auto prepared = prepare(*stage, given);
  EXPECT_FALSE(prepared->launch().launches.has_value());
  arrays.restore();
  prepared->run(arrays.operands(), 1);
  session->synchronize();
  // Four blocks: four panels; beside the next block, which three have, and beside the rest, which
  // two have, a solution and a product each.
  EXPECT_EQ(prepared->launch().launches, 4 + 2 * (3 + 2));
}

TEST_F(OursStagesTest, AProfileHasTheSameBits) {
  const auto stage = make_hybrid_tuned_array();
  for (const ArrayPivoting pivoting : {ArrayPivoting::none, ArrayPivoting::partial}) {
    const ArrayProblem given = problem(500, 500, pivoting);
    const DenseMatrixSource source({.input = "dominant", .m = 500, .n = 500});
    DeviceDenseArrays arrays(*session, given, source, 8);
    const auto prepared = prepare(*stage, given);
    arrays.restore();
    prepared->run(arrays.operands(), 1);
    const std::string bits = arrays.values_sha256();
    arrays.restore();
    const SteadyClock clock;
    PhaseRecorder phases(clock, &session->probe());
    prepared->profile(arrays.operands(), phases);
    EXPECT_EQ(arrays.values_sha256(), bits);
    std::vector<std::string> names;
    for (const PhaseTime& phase : phases.take()) names.push_back(phase.name);
    for (const char* part :
         {"numeric", "numeric/diagonal", "numeric/triangular", "numeric/product"}) {
      EXPECT_EQ(std::ranges::count(names, part), 1) << part;
    }
    arrays.restore();
    prepared->run(arrays.operands(), 1);
    EXPECT_EQ(arrays.values_sha256(), bits);
  }
}

TEST_F(OursStagesTest, WhatIsNotTakenIsAUsageError) {
  const auto graph = make_task_graph_array();
  EXPECT_THROW(prepare(*graph, problem(30, 20, ArrayPivoting::none)), UsageError);
  EXPECT_THROW(prepare(*graph, problem(30, 30, ArrayPivoting::partial)), UsageError);
  const auto hybrid = make_hybrid_tuned_array();
  ArrayProblem mixed = problem(30, 30, ArrayPivoting::partial);
  mixed.arithmetic = FactorArithmetic::float32;
  EXPECT_THROW(prepare(*hybrid, mixed), UsageError);
  for (const int block : {31, 33, 1056}) {
    options.dense.block = block;
    EXPECT_THROW(prepare(*hybrid, problem(30, 30, ArrayPivoting::partial)), UsageError) << block;
  }
}

}  // namespace
}  // namespace lufact::gpu
