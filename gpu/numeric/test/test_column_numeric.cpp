// SPDX-License-Identifier: BSD-3-Clause
// One test body over every numeric stage of the column family.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.hpp"
#include "core/reference/triangular_solve.hpp"
#include "gpu/gpu.hpp"
#include "gpu/numeric/test/numeric_bench.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

std::vector<std::string> stage_names() {
  std::vector<std::string> names;
  for (const auto& stage : numeric_stages()) {
    if (stage->info().gives == product_types::column_factors) names.push_back(stage->info().name);
  }
  return names;
}

std::unique_ptr<NumericStage> make_stage(const std::string& name) {
  for (auto& stage : numeric_stages()) {
    if (stage->info().name == name) return std::move(stage);
  }
  return nullptr;
}

class ColumnNumeric : public DeviceTest, public ::testing::WithParamInterface<std::string> {
 protected:
  static Bench bench(DeviceSession& session, const HostProblem& problem,
                     DependencyRule rule = DependencyRule::relaxed) {
    return Bench(session, problem, make_stage(GetParam()), rule);
  }
  Bench bench(const HostProblem& problem, DependencyRule rule = DependencyRule::relaxed) {
    return bench(session(), problem, rule);
  }
  void check(const HostProblem& problem, const Accuracy& accuracy,
             DependencyRule rule = DependencyRule::relaxed) {
    Bench subject = bench(problem, rule);
    const auto factors = check_factors(subject, problem, accuracy);
    const auto counts = factors->figures().level_kernel_counts;
    if (!counts) return;
    EXPECT_EQ(counts->small_block + counts->large_block + counts->stream, subject.levels());
  }
  // What a run in a session of its own with this budget ends with; it must leave nothing behind.
  static std::string outcome_within(std::uint64_t budget, const HostProblem& problem,
                                    Precision precision);
};

INSTANTIATE_TEST_SUITE_P(Stages, ColumnNumeric, ::testing::ValuesIn(stage_names()),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(ColumnNumeric, SanitizeSmallMatricesGiveTheReferencesFactorsInDouble) {
  for (const auto& problem : small_problems()) check(problem, in_double);
}

TEST_P(ColumnNumeric, SanitizeSmallMatricesGiveTheReferencesFactorsInFloat) {
  for (const auto& problem : small_problems()) check(problem, in_float);
}

TEST_P(ColumnNumeric, SanitizeTheExactRuleGivesTheSameFactors) {
  for (const Index n : {33, 65}) check(random_problem(n), in_double, DependencyRule::exact);
}

TEST_P(ColumnNumeric, SanitizeAnEmptyMatrixHasEmptyFactors) {
  Bench subject = bench(make_problem("empty", 0, {}));
  const auto factors = subject.run();
  EXPECT_TRUE(values_of(*factors).empty());
  EXPECT_EQ(factors->figures().perturbed_pivots, 0);
}

TEST_P(ColumnNumeric, ColumnsAndRowsAroundTheSizeOfABlockGiveTheReferencesFactors) {
  for (const Index n : {127, 128, 129, 1023, 1024, 1025, 1026}) {
    check(tall_column_problem(n), in_double);
    check(wide_row_problem(n), in_double);
  }
  check(dense_problem(300), in_double);
  check(dense_problem(300), in_float);
}

TEST_P(ColumnNumeric, LevelsOfEveryWidthGiveTheReferencesFactors) {
  const auto card = static_cast<Index>(session().max_resident_warps());
  for (const Index columns : {card / 40, card / 16, card / 8 + 40, card / 2 + 40}) {
    check(bordered_problem(std::max<Index>(columns, 100), 4), in_double);
  }
  check(bordered_problem(card / 2 + 40, 4), in_float);
}

TEST_P(ColumnNumeric, AChainOfThousandsOfLevelsGivesTheReferencesFactors) {
  check(chain_problem(3000), in_double);
}

TEST_P(ColumnNumeric, SanitizeZeroPivotsAreReplacedAndCounted) {
  Bench subject = bench(zero_pivot_problem());
  const FactorFigures figures = subject.run()->figures();
  const double replacement = 1e-13 * zero_pivot_problem().matrix.scaled_norm;
  EXPECT_EQ(figures.perturbed_pivots, 2);
  EXPECT_DOUBLE_EQ(figures.largest_perturbation, replacement);
}

TEST_P(ColumnNumeric, SanitizeBothSolvesGiveTheReferencesSolution) {
  for (const auto& problem : {random_problem(200), missing_diagonal_problem(64)}) {
    SCOPED_TRACE(problem.name);
    Bench subject = bench(problem);
    const auto factors = subject.run();
    const Index columns = 5;
    std::vector<double> b(static_cast<std::size_t>(subject.pattern().n) * columns);
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = symmetric_interval(hash64(9, k));
    auto expected = b;
    reference::solve(problem.pattern, values_of(*factors), expected, columns);
    const auto vectors = make_device_vector_backend(session());
    const auto x = vectors->make(subject.pattern().n, columns);
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

TEST_P(ColumnNumeric, SanitizeRefactorizationsEqualFreshFactorizations) {
  const auto problem = random_problem(200);
  Bench first = bench(problem);
  const auto factors = first.run();
  const auto matrix = upload(session(), problem.matrix);
  for (const std::uint64_t seed : {31u, 32u}) {
    const HostProblem changed = with_other_values(problem, seed);
    factors->refactor(with_new_values(changed, *matrix, first.context), first.context);
    Bench second = bench(changed);
    expect_close(values_of(*factors), values_of(*second.run()), 1e-12);
    EXPECT_EQ(factors->figures().perturbed_pivots, 0);
  }
}

TEST_P(ColumnNumeric, SanitizeAnUnsafeScheduleIsRefused) {
  Bench subject = bench(random_problem(33), DependencyRule::glu1);
  try {
    subject.run();
    FAIL() << "the schedule was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::error);
    EXPECT_EQ(error.code(), "unsafe_schedule");
    EXPECT_THAT(error.what(), testing::HasSubstr(GetParam()));
  }
  subject.options.force_unsafe = true;
  subject.run();
  ASSERT_EQ(subject.notes.warnings.size(), 1u);
  EXPECT_EQ(subject.notes.warnings[0].code, "unsafe_schedule");
}

TEST_P(ColumnNumeric, SanitizeAPatternThatDoesNotFitIsReported) {
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
    Bench subject = bench(*problem);
    try {
      subject.run();
      FAIL() << "the pattern was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "pattern_mismatch");
    }
  }
}

TEST_P(ColumnNumeric, SanitizeValuesThatAreNotFiniteAreWarnedOf) {
  HostProblem problem = random_problem(65);
  problem.matrix.values[0] = std::numeric_limits<double>::quiet_NaN();
  Bench subject = bench(problem);
  subject.run();
  ASSERT_EQ(subject.notes.warnings.size(), 1u);
  EXPECT_EQ(subject.notes.warnings[0].code, "unusable_pivots");
}

TEST_P(ColumnNumeric, OnlyControlReadsLeaveTheDeviceAndEverySubPhaseIsNamed) {
  Bench subject = bench(chain_problem(300));
  const TransferCounters before = session().counters();
  subject.run();
  const TransferCounters after = session().counters();
  EXPECT_EQ(after.bytes_h2d, before.bytes_h2d);
  EXPECT_EQ(after.bytes_d2h, before.bytes_d2h);
  std::vector<std::string> names;
  for (const PhaseTime& phase : subject.phases().take()) names.push_back(phase.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"transpose", "plan", "place", "levels", "rows"}));
}

TEST_P(ColumnNumeric, SanitizeTheProfileDescribesEveryLevel) {
  const auto problem = random_problem(200);
  Bench subject = bench(problem);
  const auto factors = subject.run();
  const LevelProfile profile = factors->level_profile();
  if (profile.columns.empty()) return;  // does not run levels one by one
  const auto schedule = reference::levelize(problem.pattern, DependencyRule::relaxed);
  ASSERT_EQ(profile.columns.size(), static_cast<std::size_t>(subject.levels()));
  ASSERT_EQ(profile.kernel_mode.size(), profile.columns.size());
  std::vector<Offset> columns(profile.columns.size()), sub_columns(columns);
  for (Index j = 0; j < 200; ++j) {
    const auto column = static_cast<std::size_t>(j);
    const auto level = static_cast<std::size_t>(schedule.level_of[column]);
    const auto& rows = problem.pattern.rows;
    ++columns[level];
    sub_columns[level] = std::max(sub_columns[level],
                                  rows.row_ptr[column + 1] - problem.pattern.diagonal[column] - 1);
  }
  EXPECT_EQ(profile.columns, columns);
  EXPECT_EQ(profile.max_subcolumns, sub_columns);
  EXPECT_THAT(profile.kernel_mode, testing::Each(testing::AnyOf("small", "large", "stream")));
}

TEST_P(ColumnNumeric, SanitizeWhatTheFactorsKeepIsWhatTheFormulaSays) {
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    Bench subject = bench(random_problem(200));
    subject.options.precision = precision;
    const std::uint64_t before = session().ledger().resident();
    const auto factors = subject.run();
    const std::uint64_t kept = session().ledger().resident() - before;
    const std::uint64_t formula =
        kept_bytes(subject.stage(), 200, subject.pattern().nnz, precision);
    EXPECT_LE(kept, formula);
    const bool selector = !subject.notes.choices.empty();
    EXPECT_TRUE(selector || kept == formula);
    EXPECT_EQ(session().ledger().in_use(), session().ledger().resident());
  }
}

TEST_P(ColumnNumeric, StressHundredsOfFactorizationsBesideACompetingKernelAgree) {
  const OtherStream other;
  for (const auto& problem :
       {random_problem(300, 2), bordered_problem(2000, 4), chain_problem(500)}) {
    SCOPED_TRACE(problem.name);
    Bench subject = bench(problem);
    const auto matrix = upload(session(), problem.matrix);
    const auto expected =
        reference::right_looking(problem.matrix, problem.pattern, {1e-13, Precision::float64});
    const auto factors = subject.run();
    for (std::uint64_t run = 0; run < 100; ++run) {
      other.occupy_randomly(session().sm_count(), run);
      factors->refactor(matrix, subject.context);
      expect_close(values_of(*factors), expected.values, 1e-12);
      ASSERT_FALSE(HasFatalFailure()) << "run " << run;
    }
  }
}

std::string ColumnNumeric::outcome_within(std::uint64_t budget, const HostProblem& problem,
                                          Precision precision) {
  DeviceSession limited(SessionOptions{0, budget});
  std::string outcome = "ok";
  try {
    Bench subject = bench(limited, problem);
    subject.options.precision = precision;
    subject.run();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device) << error.what();
    outcome = error.what();
  }
  EXPECT_EQ(limited.ledger().in_use(), 0u) << "with a budget of " << budget;
  return outcome;
}

TEST_P(ColumnNumeric, SanitizeTooSmallABudgetIsOutOfMemoryAndLeaksNothing) {
  const auto problem = random_problem(200);
  const auto nnz_lu = problem.pattern.rows.nnz();
  for (const Precision precision : {Precision::float64, Precision::float32}) {
    std::uint64_t inputs = 0, kept = 0;
    {
      const Bench subject = bench(problem);
      inputs = session().ledger().resident();
      kept = kept_bytes(subject.stage(), 200, nnz_lu, precision);
    }
    const std::uint64_t needed = inputs + kept;
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
