// SPDX-License-Identifier: BSD-3-Clause
// One test body over every numeric stage of the front family, in both precisions, with static
// pivoting and with row exchanges: the stored tiles are those of the sequential twin, solves are
// right, and every run gives the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"
#include "core/reference/front_elimination.hpp"
#include "gpu/fronts/test/front_bench.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class FrontNumeric : public DeviceTest, public ::testing::WithParamInterface<FrontVariant> {
 protected:
  FrontBench bench(const HostProblem& problem, const FrontPlanning& planning = {}) {
    return FrontBench(session(), problem, GetParam(), planning);
  }

  void check(const HostProblem& problem) {
    SCOPED_TRACE(problem.name + " of order " + std::to_string(problem.matrix.pattern.n_rows));
    FrontBench subject = bench(problem);
    const auto expected =
        reference::eliminate_fronts(problem.matrix, subject.tree(), subject.graph(),
                                    GetParam().pivot_threshold(), GetParam().pivoting);
    const auto factors = subject.run();
    const FactorFigures figures = factors->figures();
    EXPECT_EQ(figures.precision, GetParam().precision);
    EXPECT_EQ(figures.perturbed_pivots, expected.perturbed_pivots);
    EXPECT_EQ(figures.exchanged_rows.has_value(), GetParam().exchanges());
    EXPECT_EQ(figures.exchanged_rows.value_or(0), expected.exchanged_rows);
    EXPECT_EQ(row_sources_of(*factors), expected.row_sources);
    EXPECT_NEAR(figures.largest_perturbation, expected.largest_perturbation,
                GetParam().tolerance() * problem.matrix.scaled_norm);
    EXPECT_TRUE(subject.notes.warnings.empty());
    expect_close(values_of(*factors), expected.values, GetParam().tolerance());
  }
};

INSTANTIATE_TEST_SUITE_P(Stages, FrontNumeric, ::testing::ValuesIn(front_variants()),
                         front_variant_name);

TEST_P(FrontNumeric, SanitizeSmallMatricesGiveTheTwinsFactors) {
  for (const auto& problem : small_problems()) check(problem);
}

TEST_P(FrontNumeric, SanitizeFrontsAroundTheSizesOfATileGiveTheTwinsFactors) {
  for (const Index n : {7, 8, 9, 24, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129}) {
    check(dense_problem(n));
  }
}

TEST_P(FrontNumeric, SanitizeExchangedRowsAreThoseOfTheTwin) {
  for (const auto& problem : with_swapped(GetParam(), {},
                                          {{4, 2},
                                           {4, 6},
                                           {4, 8},
                                           {4, 10},
                                           {4, 16},
                                           {4, 24},
                                           {4, 30},
                                           {4, 32},
                                           {4, 34},
                                           {4, 62},
                                           {4, 64}})) {
    check(problem);
    EXPECT_EQ(bench(problem).run()->figures().perturbed_pivots, 0);
  }
}

TEST_P(FrontNumeric, LargerFrontsGiveTheTwinsFactors) {
  check(dense_problem(300));
  check(random_problem(600, 3));
  check(arrow_problem(3000, true));
  check(bordered_problem(500, 70));
  check(chain_problem(5000));
  for (const auto& problem :
       with_swapped(GetParam(), {}, {{3, 66}, {3, 100}, {3, 130}, {3, 200}, {200, 8}})) {
    check(problem);
  }
}

// Blocks of fronts below are in the place of factors until these are there, in every factorization
// anew.
TEST_P(FrontNumeric, SanitizeFactorsWhereBlocksWereAreTheTwins) {
  for (const HostProblem& problem : {separator_problem(6, 12), lending_problem()}) {
    FrontBench subject = bench(problem);
    ASSERT_TRUE(std::ranges::any_of(
        subject.graph().shape, [](const FrontShape& shape) { return shape.contribution < 0; }));
    check(problem);
    const auto factors = subject.run();
    const auto first = values_of(*factors);
    factors->refactor(upload(session(), problem.matrix), subject.context);
    EXPECT_EQ(values_of(*factors), first);
  }
}

TEST_P(FrontNumeric, SanitizeAnEmptyMatrixHasEmptyFactors) {
  FrontBench subject = bench(make_problem("empty", 0, {}));
  const auto factors = subject.run();
  EXPECT_TRUE(values_of(*factors).empty());
  const auto vectors = make_device_vector_backend(session());
  const auto x = vectors->make(0, 1);
  factors->solve(*x, "task-graph");
  factors->apply(*upload(session(), make_problem("empty", 0, {}).matrix), *vectors, *x, *x,
                 "task-graph");
}

TEST_P(FrontNumeric, SanitizeZeroPivotsAreReplacedAndCounted) {
  FrontBench subject = bench(zero_pivot_problem());
  const FactorFigures figures = subject.run()->figures();
  const double replacement = GetParam().pivot_threshold() * zero_pivot_problem().matrix.scaled_norm;
  EXPECT_EQ(figures.perturbed_pivots, 2);
  EXPECT_NEAR(figures.largest_perturbation, replacement, 1e-6 * replacement);
}

TEST_P(FrontNumeric, SanitizeValuesThatAreNotFiniteAreWarnedOf) {
  HostProblem problem = random_problem(65);
  problem.matrix.values[0] = std::numeric_limits<double>::quiet_NaN();
  FrontBench subject = bench(problem);
  subject.run();
  ASSERT_EQ(subject.notes.warnings.size(), 1u);
  EXPECT_EQ(subject.notes.warnings[0].code, "unusable_pivots");
}

TEST_P(FrontNumeric, SanitizeSolvesGiveTheTwinsSolution) {
  for (const auto& problem : with_swapped(
           GetParam(), {random_problem(200), dense_problem(150), missing_diagonal_problem(64)},
           {{6, 10}, {3, 100}})) {
    FrontBench subject = bench(problem, {.rhs = 64});
    const auto factors = subject.run();
    const Index n = problem.matrix.pattern.n_rows;
    for (const Index columns : {1, 4, 7, 9, 40, 64}) {
      SCOPED_TRACE(problem.name + ", right-hand sides: " + std::to_string(columns));
      std::vector<double> b(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
      for (std::size_t k = 0; k < b.size(); ++k) b[k] = symmetric_interval(hash64(9, k));
      auto expected = b;
      reference::solve_fronts(subject.tree(), subject.graph().shape, values_of(*factors),
                              row_sources_of(*factors), expected, columns);
      const auto vectors = make_device_vector_backend(session());
      const auto x = vectors->make(n, columns);
      vectors->write(b, *x);
      factors->solve(*x, "task-graph");
      std::vector<double> solution(b.size());
      vectors->read(*x, solution);
      expect_close(solution, expected, GetParam().tolerance());
      EXPECT_THROW(factors->solve(*x, "by-hand"), Error);
    }
  }
}

// Against copies and kernels that only scale around a solve.
TEST_P(FrontNumeric, SanitizeScalingsInTheSweepsGiveTheBitsOfScalingsAroundThem) {
  for (HostProblem& problem :
       with_swapped(GetParam(), {random_problem(200), dense_problem(150), chain_problem(300)},
                    {{6, 10}, {3, 100}})) {
    PermutedMatrix& b = problem.matrix;
    for (std::size_t i = 0; i < b.row_scale.size(); ++i) {
      b.row_scale[i] = 0.7 + 0.1 * static_cast<double>(i % 7);
      b.col_scale[i] = 1.1 - 0.1 * static_cast<double>(i % 5);
    }
    FrontBench subject = bench(problem, {.rhs = 64});
    const auto factors = subject.run();
    const auto matrix = upload(session(), b);
    const auto vectors = make_device_vector_backend(session());
    const Index n = b.pattern.n_rows;
    for (const Index columns : {1, 3, 64}) {
      SCOPED_TRACE(problem.name + ", right-hand sides: " + std::to_string(columns));
      std::vector<double> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = symmetric_interval(hash64(4, k));
      const auto right = vectors->make(n, columns), x = vectors->make(n, columns);
      const auto contents = [&](const VectorBlock& block) {
        std::vector<double> list(values.size());
        vectors->read(block, list);
        return list;
      };
      vectors->write(values, *right);
      factors->Factors::apply(*matrix, *vectors, *right, *x, "task-graph");
      const std::vector<double> expected = contents(*x);
      factors->apply(*matrix, *vectors, *right, *x, "task-graph");
      EXPECT_EQ(contents(*x), expected);
      EXPECT_EQ(contents(*right), values);
      factors->apply(*matrix, *vectors, *right, *right, "task-graph");
      EXPECT_EQ(contents(*right), expected) << "in place";
      EXPECT_THROW(factors->apply(*matrix, *vectors, *right, *x, "by-hand"), Error);
    }
  }
}

TEST_P(FrontNumeric, SanitizeRightHandSidesThatAreNotFiniteStayInTheirColumn) {
  const auto problem = random_problem(200);
  FrontBench subject = bench(problem);
  const auto factors = subject.run();
  const auto matrix = upload(session(), problem.matrix);
  const auto vectors = make_device_vector_backend(session());
  const auto b = vectors->make(200, 4), x = vectors->make(200, 4), r = vectors->make(200, 4);
  std::vector<double> values(800, 1.0), solution(800);
  values[500] = std::numeric_limits<double>::quiet_NaN();
  vectors->write(values, *b);
  factors->apply(*matrix, *vectors, *b, *x, "task-graph");
  vectors->read(*x, solution);
  const auto finite = [](double value) { return std::isfinite(value); };
  EXPECT_TRUE(std::all_of(solution.begin(), solution.begin() + 400, finite));
  EXPECT_FALSE(std::all_of(solution.begin() + 400, solution.begin() + 600, finite));
  EXPECT_TRUE(std::all_of(solution.begin() + 600, solution.end(), finite));
  EXPECT_EQ(vectors->residual(*matrix, 1, *x, *b, *r), std::numeric_limits<double>::infinity());
}

TEST_P(FrontNumeric, LargerSolvesGiveTheTwinsSolutionInEveryRun) {
  const auto problem = bordered_problem(400, 150);
  FrontBench subject = bench(problem);
  const auto factors = subject.run();
  const Index n = problem.matrix.pattern.n_rows;
  std::vector<double> b(static_cast<std::size_t>(n)), solution(b), first;
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = symmetric_interval(hash64(19, k));
  auto expected = b;
  reference::solve_fronts(subject.tree(), subject.graph().shape, values_of(*factors),
                          row_sources_of(*factors), expected, 1);
  const auto vectors = make_device_vector_backend(session());
  const auto x = vectors->make(n, 1);
  const OtherStream other;
  for (std::uint64_t run = 0; run < 100; ++run) {
    other.occupy_randomly(session().sm_count(), run);
    vectors->write(b, *x);
    factors->solve(*x, "task-graph");
    vectors->read(*x, solution);
    if (run == 0) {
      expect_close(solution, expected, GetParam().tolerance());
      first = solution;
    }
    ASSERT_EQ(solution, first) << "run " << run;
  }
}

TEST_P(FrontNumeric, SanitizeRefactorizationsEqualFreshFactorizations) {
  const auto problem = random_problem(200);
  FrontBench first = bench(problem);
  const auto factors = first.run();
  const auto matrix = upload(session(), problem.matrix);
  for (const std::uint64_t seed : {31u, 32u}) {
    const HostProblem changed = with_other_values(problem, seed);
    factors->refactor(with_new_values(changed, *matrix, first.context), first.context);
    FrontBench second = bench(changed);
    EXPECT_EQ(values_of(*factors), values_of(*second.run()));
    EXPECT_EQ(factors->figures().largest_perturbation, 0);
  }
}

// Other values, other exchanges.
TEST_P(FrontNumeric, SanitizeRefactorizationsChooseTheirOwnRows) {
  if (!GetParam().exchanges()) GTEST_SKIP() << "rows are fixed";
  for (const Index width : {10, 100}) {
    const HostProblem problem = swapped_problem(3, width), changed = swapped_problem(3, width, 0);
    FrontBench first = bench(problem);
    const auto factors = first.run();
    const auto before = values_of(*factors);
    const auto matrix = upload(session(), problem.matrix);
    FrontBench second = bench(changed);
    const auto fresh = second.run();
    factors->refactor(with_new_values(changed, *matrix, first.context), first.context);
    EXPECT_EQ(values_of(*factors), values_of(*fresh));
    EXPECT_EQ(row_sources_of(*factors), row_sources_of(*fresh));
    EXPECT_EQ(factors->figures().exchanged_rows, fresh->figures().exchanged_rows);
    factors->refactor(with_new_values(problem, *matrix, first.context), first.context);
    EXPECT_EQ(values_of(*factors), before);
  }
}

// The unit of the pivot threshold goes with the values.
TEST_P(FrontNumeric, SanitizeRefactorizationsPerturbByTheNormOfTheNewValues) {
  const auto problem = zero_pivot_problem();
  FrontBench first = bench(problem);
  const auto factors = first.run();
  HostProblem changed = problem;
  for (double& value : changed.matrix.values) value *= 4;
  changed.matrix.scaled_norm *= 4;
  const auto matrix = upload(session(), problem.matrix);
  factors->refactor(with_new_values(changed, *matrix, first.context), first.context);
  FrontBench second = bench(changed);
  const auto fresh = second.run();
  EXPECT_EQ(factors->figures().perturbed_pivots, 2);
  EXPECT_EQ(factors->figures().largest_perturbation, fresh->figures().largest_perturbation);
  EXPECT_EQ(values_of(*factors), values_of(*fresh));
}

TEST_P(FrontNumeric, OnlyControlReadsLeaveTheDeviceAndEverySubPhaseIsNamed) {
  FrontBench subject = bench(chain_problem(300));
  subject.phases().take();
  const TransferCounters before = session().counters();
  const auto factors = subject.run();
  const TransferCounters after = session().counters();
  EXPECT_EQ(after.bytes_h2d, before.bytes_h2d);
  EXPECT_EQ(after.bytes_d2h, before.bytes_d2h);
  std::vector<std::string> names;
  for (const PhaseTime& phase : subject.phases().take()) names.push_back(phase.name);
  EXPECT_THAT(names, testing::IsSupersetOf({"plan", "tiles"}));
  factors->refactor(upload(session(), chain_problem(300).matrix), subject.context);
  EXPECT_TRUE(subject.phases().take().empty());
}

TEST_P(FrontNumeric, StressEveryRunBesideACompetingKernelGivesTheSameBits) {
  const OtherStream other;
  for (const auto& problem :
       with_swapped(GetParam(),
                    {random_problem(600, 3), dense_problem(300), chain_problem(3000),
                     bordered_problem(300, 70), zero_pivot_problem(), separator_problem(6, 40),
                     lending_problem()},
                    {{40, 12}, {4, 130}})) {
    SCOPED_TRACE(problem.name);
    FrontBench subject = bench(problem);
    const auto matrix = upload(session(), problem.matrix);
    const auto factors = subject.run();
    const auto first = values_of(*factors);
    for (std::uint64_t run = 0; run < 40; ++run) {
      other.occupy_randomly(session().sm_count(), run);
      factors->refactor(matrix, subject.context);
      ASSERT_EQ(values_of(*factors), first) << "run " << run;
    }
  }
}

TEST_P(FrontNumeric, SanitizePartsGiveTheSameBitsWithinASmallerBudget) {
  const auto problem = separator_problem(6, 12);
  const auto expected = values_of(*bench(problem).run());
  std::uint64_t needed = 0;
  {
    FrontBench in_parts(session(), problem, GetParam(), {.in_parts = true});
    EXPECT_GT(in_parts.graph().part_end.size(), 1u);
    const auto factors = in_parts.run();
    needed = session().ledger().resident();
    EXPECT_EQ(values_of(*factors), expected);
    factors->refactor(upload(session(), problem.matrix), in_parts.context);
    EXPECT_EQ(values_of(*factors), expected);
  }
  DeviceSession limited(SessionOptions{0, needed});
  EXPECT_EQ(values_of(*FrontBench(limited, problem, GetParam(), {.in_parts = true}).run()),
            expected);
  try {
    FrontBench(limited, problem, GetParam()).run();
    ADD_FAILURE() << "all at once fits as well";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_THAT(error.what(), testing::HasSubstr("task-graph-parts"));
  }
}

TEST_P(FrontNumeric, SanitizeTooSmallABudgetIsOutOfMemoryAndLeaksNothing) {
  const auto problem = random_problem(200);
  std::uint64_t needed = 0;
  {
    FrontBench subject = bench(problem);
    const auto factors = subject.run();
    needed = session().ledger().resident();
    EXPECT_EQ(session().ledger().in_use(), needed);
  }
  for (const std::uint64_t budget : {needed - 1, needed / 2, needed}) {
    DeviceSession limited(SessionOptions{0, budget});
    std::string outcome = "ok";
    try {
      FrontBench(limited, problem, GetParam()).run();
    } catch (const Error& error) {
      EXPECT_EQ(error.outcome(), Outcome::oom_device) << error.what();
      outcome = error.what();
    }
    EXPECT_EQ(outcome == "ok", budget == needed) << outcome;
    if (budget == needed - 1) {
      EXPECT_THAT(outcome, testing::HasSubstr("multifrontal factorization"));
    }
    EXPECT_EQ(limited.ledger().in_use(), 0u) << "with a budget of " << budget;
  }
}

}  // namespace
}  // namespace lufact::gpu
