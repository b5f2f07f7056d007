// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "gpu/numeric/dense_numeric.hpp"
#include "gpu/numeric/glu_modes.hpp"
#include "gpu/numeric/parallel_columns.hpp"
#include "gpu/numeric/test/numeric_bench.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

constexpr std::array<GluMode, 4> all_modes{GluMode::automatic, GluMode::small_block,
                                           GluMode::large_block, GluMode::stream};

class DenseNumeric : public DeviceTest {
 protected:
  Bench bench(const HostProblem& problem) { return {session(), problem, make_dense_numeric()}; }
};

TEST_F(DenseNumeric, SanitizeEveryForcedModeGivesTheReferencesFactors) {
  for (const GluMode mode : all_modes) {
    SCOPED_TRACE(to_string(mode));
    for (const auto& problem : small_problems()) {
      Bench subject = bench(problem);
      subject.options.glu_mode = mode;
      const FactorFigures figures = check_factors(subject, problem, in_double)->figures();
      EXPECT_EQ(figures.format, "dense");
      const LevelKernelCounts counts = figures.level_kernel_counts.value();
      const Index levels = subject.levels();
      EXPECT_EQ(counts.small_block + counts.large_block + counts.stream, levels);
      EXPECT_TRUE(mode != GluMode::small_block || counts.small_block == levels);
      EXPECT_TRUE(mode != GluMode::large_block || counts.large_block == levels);
      EXPECT_TRUE(mode != GluMode::stream || counts.stream == levels);
    }
  }
}

TEST_F(DenseNumeric, SanitizeColumnsOnStreamsOfTheirOwnGiveTheReferencesFactors) {
  for (const int streams : {1, 3, 16}) {
    for (const auto& problem : {random_problem(200), bordered_problem(40, 4), dense_problem(150)}) {
      for (const std::optional<Offset> columns :
           {std::optional<Offset>{}, std::optional<Offset>{2}}) {
        Bench subject = bench(problem);
        subject.options.glu_mode = GluMode::stream;
        subject.options.glu_streams = streams;
        subject.options.parallel_columns = columns;
        check_factors(subject, problem, in_double);
        check_factors(subject, problem, in_float);
      }
    }
  }
}

TEST_F(DenseNumeric, StressColumnsOnStreamsBesideACompetingKernelAgree) {
  const OtherStream other;
  const auto problem = bordered_problem(60, 4);
  const auto expected =
      reference::right_looking(problem.matrix, problem.pattern, {1e-13, Precision::float64});
  const auto matrix = upload(session(), problem.matrix);
  Bench subject = bench(problem);
  subject.options.glu_thresholds = {896, 448, 100};
  subject.options.glu_streams = 16;
  const auto factors = subject.run();
  for (std::uint64_t run = 0; run < 30; ++run) {
    other.occupy_randomly(session().sm_count(), run);
    factors->refactor(matrix, subject.context);
    expect_close(values_of(*factors), expected.values, 1e-12);
    ASSERT_FALSE(HasFatalFailure()) << run;
  }
}

TEST_F(DenseNumeric, SanitizeThresholdsDecideByTheWidthOfALevel) {
  const auto problem = bordered_problem(300, 4);  // a level of 300 columns, then 4 of one
  const auto modes = [&](const std::array<int, 3>& thresholds) {
    Bench subject = bench(problem);
    subject.options.glu_thresholds = thresholds;
    return check_factors(subject, problem, in_float)->level_profile().kernel_mode;
  };
  EXPECT_EQ(modes({896, 448, 16}).front(), "large");
  EXPECT_EQ(modes({896, 448, 16}).back(), "stream");
  EXPECT_EQ(modes({299, 100, 16}).front(), "small");
  EXPECT_EQ(modes({896, 448, 300}).front(), "stream");
  EXPECT_EQ(modes({896, 448, 0}).back(), "large");
}

TEST_F(DenseNumeric, NarrowLevelsWithManyEntriesInAllSubColumnsAreStreamed) {
  const auto problem = dense_problem(200);  // column j has (199 - j)^2 entries in its sub-columns
  Bench subject = bench(problem);
  const auto modes = check_factors(subject, problem, in_double)->level_profile().kernel_mode;
  ASSERT_EQ(modes.size(), 200u);
  EXPECT_EQ(modes[199 - 128], "stream");
  EXPECT_EQ(modes[199 - 127], "large");
}

TEST_F(DenseNumeric, NarrowLevelsWithOneLongSubColumnAreStreamed) {
  const auto problem = bordered_chain_problem(600);  // column j has 599 - j entries in the last one
  Bench subject = bench(problem);
  const auto modes = check_factors(subject, problem, in_double)->level_profile().kernel_mode;
  ASSERT_EQ(modes.size(), 600u);
  EXPECT_EQ(modes[0], "stream");
  EXPECT_EQ(modes[599 - 512], "stream");
  EXPECT_EQ(modes[599 - 511], "large");
}

// In a session of its own in which exactly `columns` work columns fit.
void check_within(DeviceSession& session, const HostProblem& problem, Offset columns, GluMode mode,
                  const Accuracy& accuracy) {
  const auto n = problem.matrix.pattern.n_rows;
  const std::uint64_t value = accuracy.precision == Precision::float64 ? 8 : 4;
  std::uint64_t budget = 0;
  {
    const Bench inputs(session, problem, make_dense_numeric());
    budget = session.ledger().resident() +
             kept_bytes(inputs.stage(), n, inputs.pattern().nnz, accuracy.precision);
  }
  budget += static_cast<std::uint64_t>(n) * value * (static_cast<std::uint64_t>(columns) + 1) - 1;
  DeviceSession limited(SessionOptions{0, budget});
  Bench subject(limited, problem, make_dense_numeric());
  subject.options.glu_mode = mode;
  const auto factors = check_factors(subject, problem, accuracy);
  EXPECT_EQ(factors->figures().parallel_columns, columns);
  EXPECT_EQ(limited.ledger().in_use(), limited.ledger().resident());
}

TEST_F(DenseNumeric, SanitizeAFewWorkColumnsDoWideLevelsInTurn) {
  const auto problem = bordered_problem(200, 4);
  for (const Offset columns : {1, 2, 3}) {
    for (const GluMode mode : all_modes) {
      SCOPED_TRACE(std::to_string(columns) + " columns, mode " + std::string(to_string(mode)));
      check_within(session(), problem, columns, mode, in_double);
      check_within(session(), problem, columns, mode, in_float);
    }
  }
}

TEST_F(DenseNumeric, SanitizeNoWorkColumnThatFitsIsOutOfMemory) {
  const auto problem = random_problem(200);
  try {
    check_within(session(), problem, 0, GluMode::automatic, in_double);
    FAIL() << "there was no room";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_THAT(error.what(), testing::HasSubstr("gpu-binary-search"));
  }
}

TEST_F(DenseNumeric, SanitizeTheNumberOfParallelColumnsCanBeGiven) {
  const auto problem = bordered_problem(200, 4);
  for (const Offset columns : {1, 7, 124, 1000}) {
    for (auto make : {make_dense_numeric, make_dense_fixed_numeric}) {
      Bench subject(session(), problem, make());
      subject.options.parallel_columns = columns;
      EXPECT_EQ(check_factors(subject, problem, in_double)->figures().parallel_columns, columns);
    }
  }
}

TEST_F(DenseNumeric, TheFixedAllocationIsTheCardsForEveryLevel) {
  const auto problem = bordered_problem(500, 4);
  Bench subject(session(), problem, make_dense_fixed_numeric());
  const FactorFigures figures = check_factors(subject, problem, in_double)->figures();
  EXPECT_EQ(figures.parallel_columns, max_parallel_blocks(session().max_resident_warps()));
  EXPECT_EQ(figures.level_kernel_counts.value().large_block, subject.levels());
}

TEST_F(DenseNumeric, WorkColumnsBeyond32BitsAreAddressed) {
  // 70000 columns of 70000 values in float: 2^32 values and more, 20 GB.
  constexpr Index n = 70000;
  const std::uint64_t wanted = std::uint64_t{n} * n * sizeof(float);
  if (session().ledger().available() < 2 * wanted) GTEST_SKIP() << "the card has too little memory";
  const auto problem = bordered_problem(n - 4, 4);
  Bench subject = bench(problem);
  subject.options.parallel_columns = n;
  subject.options.glu_mode = GluMode::small_block;
  check_factors(subject, problem, in_float);
}

TEST_F(DenseNumeric, StressEveryModeBesideACompetingKernelAgrees) {
  const OtherStream other;
  const auto problem = random_problem(300, 2);
  const auto expected =
      reference::right_looking(problem.matrix, problem.pattern, {1e-13, Precision::float64});
  const auto matrix = upload(session(), problem.matrix);
  for (const GluMode mode : all_modes) {
    Bench subject = bench(problem);
    subject.options.glu_mode = mode;
    const auto factors = subject.run();
    for (std::uint64_t run = 0; run < 50; ++run) {
      other.occupy_randomly(session().sm_count(), run);
      factors->refactor(matrix, subject.context);
      expect_close(values_of(*factors), expected.values, 1e-12);
      ASSERT_FALSE(HasFatalFailure()) << to_string(mode) << ", run " << run;
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
