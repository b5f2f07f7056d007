// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/measure/clock.hpp"
#include "core/pipeline/column_factors.hpp"
#include "core/reference/numeric.hpp"
#include "core/reference/triangular_solve.hpp"
#include "gpu/numeric/binary_search_numeric.hpp"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/solve/test/busy_kernel.hpp"
#include "gpu/solve/test/device_problem.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

// A session's stage context, the products of one problem on the device, and the stage.
class Bench {
 public:
  Bench(DeviceSession& session, const HostProblem& problem,
        DependencyRule rule = DependencyRule::relaxed)
      : session_(session),
        phases_(clock_, &session.probe()),
        matrix_(upload(session, problem.matrix)),
        pattern_(upload(session, problem.pattern)),
        schedule_(upload(session, reference::levelize(problem.pattern, rule))) {
    options.pivot_threshold = default_pivot_threshold(Precision::float64);
  }

  std::shared_ptr<Factors> run() { return stage_->run(matrix_, pattern_, schedule_, context); }
  DeviceSession& session() { return session_; }
  Index levels() const { return static_cast<Index>(schedule_->level_ptr.size()) - 1; }
  const NumericStage& stage() const { return *stage_; }
  PhaseRecorder& phases() { return phases_; }
  const DeviceColumnPattern& pattern() const { return *pattern_; }

 private:
  DeviceSession& session_;
  SteadyClock clock_;
  PhaseRecorder phases_;
  std::shared_ptr<DevicePermutedMatrix> matrix_;
  std::shared_ptr<DeviceColumnPattern> pattern_;
  std::shared_ptr<DeviceColumnSchedule> schedule_;
  std::unique_ptr<NumericStage> stage_ = make_binary_search_numeric();

 public:
  StageOptions options;
  StageNotes notes;
  StageContext context{phases_, options, notes, nullptr, &session_, {}};
};

std::vector<double> values_of(const Factors& factors) {
  return dynamic_cast<const ColumnFactors&>(factors).values_by_row();
}

void expect_close(const std::vector<double>& actual, const std::vector<double>& expected,
                  double tolerance) {
  double scale = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    ASSERT_NEAR(actual[k], expected[k], tolerance * scale) << "entry " << k;
  }
}

struct Accuracy {
  Precision precision;
  double threshold, tolerance;
};
constexpr Accuracy in_double{Precision::float64, 1e-13, 1e-12};
constexpr Accuracy in_float{Precision::float32, 1e-6, 1e-4};

void check_factors(DeviceSession& session, const HostProblem& problem, const Accuracy& accuracy,
                   DependencyRule rule = DependencyRule::relaxed) {
  SCOPED_TRACE(problem.name + " in " + std::string(to_string(accuracy.precision)));
  Bench bench(session, problem, rule);
  bench.options.precision = accuracy.precision;
  bench.options.pivot_threshold = accuracy.threshold;
  const auto expected = reference::right_looking(problem.matrix, problem.pattern,
                                                 {accuracy.threshold, accuracy.precision});
  const auto factors = bench.run();
  expect_close(values_of(*factors), expected.values, accuracy.tolerance);
  const FactorFigures figures = factors->figures();
  EXPECT_EQ(figures.perturbed_pivots, expected.perturbed_pivots);
  EXPECT_NEAR(figures.largest_perturbation, expected.largest_perturbation,
              accuracy.tolerance * problem.matrix.scaled_norm);
  ASSERT_TRUE(figures.growth.has_value());
  EXPECT_NEAR(*figures.growth, expected.growth, accuracy.tolerance * expected.growth);
  EXPECT_EQ(figures.format, "sparse");
  const LevelKernelCounts counts = figures.level_kernel_counts.value();
  EXPECT_EQ(counts.small_block + counts.large_block + counts.stream, bench.levels());
  EXPECT_TRUE(bench.notes.warnings.empty());
}

using BinarySearchNumeric = DeviceTest;

TEST_F(BinarySearchNumeric, SanitizeSmallMatricesGiveTheReferencesFactorsInDouble) {
  for (const auto& problem : small_problems()) check_factors(session(), problem, in_double);
}

TEST_F(BinarySearchNumeric, SanitizeSmallMatricesGiveTheReferencesFactorsInFloat) {
  for (const auto& problem : small_problems()) check_factors(session(), problem, in_float);
}

TEST_F(BinarySearchNumeric, SanitizeTheExactRuleGivesTheSameFactors) {
  for (const Index n : {33, 65}) {
    check_factors(session(), random_problem(n), in_double, DependencyRule::exact);
  }
}

TEST_F(BinarySearchNumeric, EveryShapeOfLevelGivesTheReferencesFactors) {
  // The border's columns make tiles beyond the card, beyond a quarter of it, and below that.
  const auto card = static_cast<Index>(session().max_resident_warps());
  for (const Index columns : {std::max<Index>(card / 16, 100), card / 8 + 40, card / 2 + 40}) {
    const auto problem = bordered_problem(columns, 4);
    check_factors(session(), problem, in_double);
    Bench bench(session(), problem);
    const LevelKernelCounts counts = bench.run()->figures().level_kernel_counts.value();
    EXPECT_EQ(counts.stream, 4 * columns > card ? 1 : 0);
    EXPECT_EQ(counts.large_block, 4 * columns > card ? 0 : 1);
    EXPECT_EQ(counts.small_block, 4);
  }
  check_factors(session(), dense_problem(300), in_double);
  check_factors(session(), dense_problem(300), in_float);
}

TEST_F(BinarySearchNumeric, AChainOfThousandsOfLevelsGivesTheReferencesFactors) {
  check_factors(session(), chain_problem(3000), in_double);
  Bench bench(session(), chain_problem(3000));
  EXPECT_EQ(bench.levels(), 3000);
  EXPECT_EQ(bench.run()->figures().level_kernel_counts.value().small_block, 3000);
}

TEST_F(BinarySearchNumeric, SanitizeZeroPivotsAreReplacedAndCounted) {
  Bench bench(session(), zero_pivot_problem());
  const FactorFigures figures = bench.run()->figures();
  const double replacement = 1e-13 * zero_pivot_problem().matrix.scaled_norm;
  EXPECT_EQ(figures.perturbed_pivots, 2);
  EXPECT_DOUBLE_EQ(figures.largest_perturbation, replacement);
}

TEST_F(BinarySearchNumeric, SanitizeBothSolvesGiveTheReferencesSolution) {
  for (const auto& problem : {random_problem(200), missing_diagonal_problem(64)}) {
    SCOPED_TRACE(problem.name);
    Bench bench(session(), problem);
    const auto factors = bench.run();
    const Index columns = 5;
    std::vector<double> b(static_cast<std::size_t>(bench.pattern().n) * columns);
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = symmetric_interval(hash64(9, k));
    auto expected = b;
    reference::solve(problem.pattern, values_of(*factors), expected, columns);
    const auto vectors = make_device_vector_backend(session());
    const auto x = vectors->make(bench.pattern().n, columns);
    std::vector<double> solution(b.size());
    for (const char* method : {"sync-free", "level", "level"}) {
      vectors->write(b, *x);
      factors->solve(*x, method);
      vectors->read(*x, solution);
      expect_close(solution, expected, 1e-11);
    }
    EXPECT_THROW(factors->solve(*x, "by-hand"), Error);
  }
}

TEST_F(BinarySearchNumeric, SanitizeRefactorizationEqualsAFreshFactorization) {
  const auto problem = random_problem(200);
  HostProblem changed = problem;
  for (std::size_t k = 0; k < changed.matrix.values.size(); ++k) {
    changed.matrix.values[k] *= 1 + 1e-3 * symmetric_interval(hash64(31, k));
  }
  Bench first(session(), problem);
  const auto factors = first.run();
  factors->refactor(upload(session(), changed.matrix), first.context);
  Bench second(session(), changed);
  expect_close(values_of(*factors), values_of(*second.run()), 1e-12);
  EXPECT_EQ(factors->figures().perturbed_pivots, 0);
}

TEST_F(BinarySearchNumeric, SanitizeAnUnsafeScheduleIsRefused) {
  Bench bench(session(), random_problem(33), DependencyRule::glu1);
  try {
    bench.run();
    FAIL() << "the schedule was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::error);
    EXPECT_EQ(error.code(), "unsafe_schedule");
  }
}

TEST_F(BinarySearchNumeric, SanitizeAPatternThatDoesNotFitIsReported) {
  // The pattern of B itself lacks the fill; that of another matrix lacks entries.
  HostProblem not_closed = random_problem(65);
  not_closed.pattern.rows = not_closed.matrix.pattern;
  HostProblem foreign = random_problem(65);
  foreign.pattern = chain_problem(65).pattern;
  for (HostProblem* problem : {&not_closed, &foreign}) {
    const PatternView rows = problem->pattern.rows.view();
    for (Index i = 0; i < 65; ++i) {
      problem->pattern.diagonal[static_cast<std::size_t>(i)] = find_entry(rows, i, i);
    }
    Bench bench(session(), *problem);
    try {
      bench.run();
      FAIL() << "the pattern was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "pattern_mismatch");
    }
  }
}

TEST_F(BinarySearchNumeric, SanitizeValuesThatAreNotFiniteAreWarnedOf) {
  HostProblem problem = random_problem(65);
  problem.matrix.values[0] = std::numeric_limits<double>::quiet_NaN();
  Bench bench(session(), problem);
  bench.run();
  ASSERT_EQ(bench.notes.warnings.size(), 1u);
  EXPECT_EQ(bench.notes.warnings[0].code, "unusable_pivots");
}

TEST_F(BinarySearchNumeric, OnlyControlReadsLeaveTheDeviceAndEverySubPhaseIsNamed) {
  Bench bench(session(), chain_problem(300));
  const TransferCounters before = session().counters();
  bench.run();
  const TransferCounters after = session().counters();
  EXPECT_EQ(after.bytes_h2d, before.bytes_h2d);
  EXPECT_EQ(after.bytes_d2h, before.bytes_d2h);
  EXPECT_EQ(after.control_reads - before.control_reads, 1u + 3u);  // 128 levels to a read
  std::vector<std::string> names;
  for (const PhaseTime& phase : bench.phases().take()) names.push_back(phase.name);
  EXPECT_THAT(names, testing::ElementsAre("transpose", "plan", "place", "levels", "rows"));
}

TEST_F(BinarySearchNumeric, SanitizeWhatTheFactorsKeepIsWhatTheFormulaSays) {
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    Bench bench(session(), random_problem(200));
    bench.options.precision = precision;
    const std::uint64_t before = session().ledger().resident();
    const auto factors = bench.run();
    EXPECT_EQ(session().ledger().resident() - before,
              column_factor_bytes(200, bench.pattern().nnz, precision));
    EXPECT_EQ(session().ledger().in_use(), session().ledger().resident());
  }
}

TEST_F(BinarySearchNumeric, StressHundredsOfFactorizationsBesideACompetingKernelAgree) {
  const OtherStream other;
  for (const auto& problem :
       {random_problem(300, 2), bordered_problem(2000, 4), chain_problem(500)}) {
    SCOPED_TRACE(problem.name);
    Bench bench(session(), problem);
    const auto matrix = upload(session(), problem.matrix);
    const auto expected =
        reference::right_looking(problem.matrix, problem.pattern, {1e-13, Precision::float64});
    const auto factors = bench.run();
    for (std::uint64_t run = 0; run < 100; ++run) {
      other.occupy_randomly(session().sm_count(), run);
      factors->refactor(matrix, bench.context);
      expect_close(values_of(*factors), expected.values, 1e-12);
      ASSERT_FALSE(HasFatalFailure()) << "run " << run;
    }
  }
}

// What a run in a session of its own with this budget ends with; it must leave nothing behind.
std::string outcome_within(std::uint64_t budget, const HostProblem& problem, Precision precision) {
  DeviceSession limited(SessionOptions{0, budget});
  std::string outcome = "ok";
  try {
    Bench bench(limited, problem);
    bench.options.precision = precision;
    bench.run();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device) << error.what();
    outcome = error.what();
  }
  EXPECT_EQ(limited.ledger().in_use(), 0u) << "with a budget of " << budget;
  return outcome;
}

TEST_F(BinarySearchNumeric, SanitizeTooSmallABudgetIsOutOfMemoryAndLeaksNothing) {
  const auto problem = random_problem(200);
  const auto nnz_lu = problem.pattern.rows.nnz();
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    std::uint64_t inputs = 0;
    {
      const Bench bench(session(), problem);
      inputs = session().ledger().resident();
    }
    const std::uint64_t needed = inputs + column_factor_bytes(200, nnz_lu, precision);
    EXPECT_THAT(outcome_within(needed - 1, problem, precision),
                testing::HasSubstr("numeric factorization"));
    EXPECT_EQ(outcome_within(needed + (4U << 20), problem, precision), "ok");
    for (std::uint64_t budget = 1000; budget < needed; budget += needed / 7) {
      EXPECT_NE(outcome_within(budget, problem, precision), "ok") << budget;
    }
    for (std::uint64_t more = 0; more < needed; more += needed / 5) {
      outcome_within(needed + more, problem, precision);
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
