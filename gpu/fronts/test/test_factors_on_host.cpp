// SPDX-License-Identifier: BSD-3-Clause
// Factors that are kept on the host and come to the device in parts: the bits of those that stay
// there, in factorizations, solves and refactorizations, within a smaller budget.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/error.hpp"
#include "core/pipeline/queued_work.hpp"
#include "gpu/fronts/test/front_bench.hpp"
#include "gpu/solve/device_vectors.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

constexpr FrontPlanning to_host{.factors = FactorPlace::host};

std::vector<double> right_hand_sides(Index n, Index columns) {
  std::vector<double> b(static_cast<std::size_t>(n) * static_cast<std::size_t>(columns));
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = symmetric_interval(hash64(5, k));
  return b;
}

class FactorsOnHost : public DeviceTest, public ::testing::WithParamInterface<FrontVariant> {
 protected:
  FrontBench bench(const HostProblem& problem, const FrontPlanning& planning = {}) {
    return FrontBench(session(), problem, GetParam(), planning);
  }

  std::vector<HostProblem> problems() const {
    std::vector<HostProblem> list{separator_problem(6, 12), separator_problem(3, 90),
                                  random_problem(200), chain_problem(300), dense_problem(150)};
    if (GetParam().exchanges()) list.push_back(swapped_problem(6, 40));
    return list;
  }

  // The solution of every solve in turn: of one right-hand side, of several, then again.
  std::vector<std::vector<double>> solutions(const Factors& factors, const ProductPtr& matrix,
                                             Index n) {
    const auto vectors = make_device_vector_backend(session());
    std::vector<std::vector<double>> list;
    for (const Index columns : {1, 4, 7, 40, 1}) {
      const auto b = vectors->make(n, columns), x = vectors->make(n, columns);
      std::vector<double> values = right_hand_sides(n, columns);
      vectors->write(values, *b);
      factors.apply(*matrix, *vectors, *b, *x, "task-graph");
      vectors->read(*x, values);
      list.push_back(values);
    }
    return list;
  }
};

INSTANTIATE_TEST_SUITE_P(Stages, FactorsOnHost, ::testing::ValuesIn(front_variants()),
                         front_variant_name);

TEST_P(FactorsOnHost, SanitizeFactorsAndSolutionsHaveTheSameBits) {
  for (const HostProblem& problem : problems()) {
    SCOPED_TRACE(problem.name);
    FrontBench there = bench(problem, {.rhs = 40});
    FrontBench here = bench(problem, {.factors = FactorPlace::host, .rhs = 40});
    ASSERT_FALSE(here.graph().factor_end.empty());
    const auto expected = there.run(), factors = here.run();
    EXPECT_EQ(values_of(*factors), values_of(*expected));
    EXPECT_EQ(row_sources_of(*factors), row_sources_of(*expected));
    EXPECT_EQ(factors->values_sha256(), expected->values_sha256());
    EXPECT_EQ(dynamic_cast<const FrontFactors&>(*factors).pivot_sizes(),
              dynamic_cast<const FrontFactors&>(*expected).pivot_sizes());
    EXPECT_EQ(factors->figures().perturbed_pivots, expected->figures().perturbed_pivots);
    const Index n = problem.matrix.pattern.n_rows;
    EXPECT_EQ(solutions(*factors, here.device_matrix(), n),
              solutions(*expected, there.device_matrix(), n));
    EXPECT_EQ(values_of(*factors), values_of(*expected)) << "after the solves";
  }
}

TEST_P(FactorsOnHost, SanitizeFiguresSayHowMuchIsWhere) {
  const auto problem = separator_problem(6, 12);
  EXPECT_FALSE(bench(problem).run()->figures().host_bytes);
  EXPECT_FALSE(bench(problem).run()->figures().host_parts);
  FrontBench here = bench(problem, to_host);
  const FactorFigures figures = here.run()->figures();
  const std::uint64_t value = GetParam().precision == Precision::float64 ? 8 : 4;
  EXPECT_EQ(figures.host_bytes, static_cast<std::uint64_t>(here.graph().factor_entries) * value);
  EXPECT_EQ(figures.host_parts, static_cast<Offset>(here.graph().factor_end.size()));
  EXPECT_GT(figures.host_parts, 2);
}

TEST_P(FactorsOnHost, SanitizeRefactorizationsEqualFreshOnesBetweenSolves) {
  for (const HostProblem& problem : {separator_problem(5, 20), random_problem(200)}) {
    SCOPED_TRACE(problem.name);
    const Index n = problem.matrix.pattern.n_rows;
    FrontBench here = bench(problem, to_host);
    const auto factors = here.run();
    const auto matrix = upload(session(), problem.matrix);
    for (const std::uint64_t seed : {31u, 32u, 33u}) {
      const HostProblem changed = with_other_values(problem, seed);
      FrontBench fresh = bench(changed);
      const auto expected = fresh.run();
      const auto renewed = with_new_values(changed, *matrix, here.context);
      factors->refactor(renewed, here.context);
      EXPECT_EQ(values_of(*factors), values_of(*expected));
      EXPECT_EQ(solutions(*factors, renewed, n), solutions(*expected, fresh.device_matrix(), n));
    }
  }
}

TEST_P(FactorsOnHost, StressNothingRacesBesideACompetingKernel) {
  const OtherStream other;
  const auto problem = separator_problem(6, 24);
  const Index n = problem.matrix.pattern.n_rows;
  FrontBench there = bench(problem), here = bench(problem, to_host);
  const auto expected = there.run(), factors = here.run();
  const auto solved = solutions(*expected, there.device_matrix(), n);
  for (std::uint64_t run = 0; run < 40; ++run) {
    other.occupy_randomly(session().sm_count(), run);
    if (run % 3 != 1) factors->refactor(here.device_matrix(), here.context);
    ASSERT_EQ(solutions(*factors, here.device_matrix(), n), solved) << "run " << run;
    ASSERT_EQ(values_of(*factors), values_of(*expected)) << "run " << run;
  }
}

// Nobody waits between the factorization, whose parts are on their way to the host, and the solve.
TEST_P(FactorsOnHost, StressQueuedRefactorizationsAndSolvesHaveTheSameBits) {
  const OtherStream other;
  const auto problem = separator_problem(6, 24);
  const Index n = problem.matrix.pattern.n_rows;
  const auto vectors = make_device_vector_backend(session());
  FrontBench here = bench(problem, to_host);
  const auto factors = here.run();
  auto* const queued = find_part<QueuedFactors>(factors.get());
  ASSERT_NE(queued, nullptr);
  const auto matrix = upload(session(), problem.matrix);
  for (const Index columns : {1, 5}) {
    const auto b = vectors->make(n, columns), x = vectors->make(n, columns);
    const std::vector<double> right = right_hand_sides(n, columns);
    vectors->write(right, *b);
    for (std::uint64_t run = 0; run < 10; ++run) {
      const HostProblem changed = with_other_values(problem, run);
      FrontBench fresh = bench(changed);
      const auto expected = fresh.run();
      std::vector<double> wanted(right.size()), solution(right.size());
      expected->apply(*fresh.device_matrix(), *vectors, *b, *x, "task-graph");
      vectors->read(*x, wanted);
      vectors->set_to_zero(*x);
      other.occupy_randomly(session().sm_count(), run);
      const auto renewed = with_new_values(changed, *matrix, here.context);
      queued->queue_refactor_and_apply(renewed, *vectors, *b, *x, "task-graph", here.context);
      session().synchronize();
      queued->finish_refactor(here.context);
      vectors->read(*x, solution);
      ASSERT_EQ(solution, wanted) << columns << " columns, run " << run;
      ASSERT_EQ(values_of(*factors), values_of(*expected)) << "run " << run;
    }
  }
}

// What is planned for a budget fits it, to the byte that the plan has named.
TEST_P(FactorsOnHost, SanitizeBudgetsThatDoNotHoldTheFactorsHoldTheirParts) {
  const auto problem = separator_problem(7, 16);
  std::uint64_t whole = 0;
  std::vector<double> expected;
  {
    FrontBench there = bench(problem);
    const auto factors = there.run();
    whole = session().ledger().resident();
    expected = values_of(*factors);
  }
  std::uint64_t matrix = 0;
  {
    const auto uploaded = upload(session(), problem.matrix);
    matrix = session().ledger().resident();
  }
  int on_host = 0;
  for (const std::uint64_t percent : {95, 85, 75, 65, 55}) {
    SCOPED_TRACE(percent);
    const std::uint64_t budget = whole * percent / 100;
    DeviceSession limited(SessionOptions{0, budget});
    try {
      FrontBench planned(limited, problem, GetParam(), {.room = budget - matrix});
      if (!planned.graph().factor_end.empty()) ++on_host;
      EXPECT_EQ(values_of(*planned.run()), expected);
    } catch (const Error& error) {
      EXPECT_EQ(error.outcome(), Outcome::oom_device);
      EXPECT_THAT(error.what(), testing::HasSubstr("want"));
    }
    EXPECT_EQ(limited.ledger().in_use(), 0u);
  }
  EXPECT_GT(on_host, 0);
}

TEST_P(FactorsOnHost, SanitizeTooSmallABudgetIsOutOfMemory) {
  const auto problem = separator_problem(6, 12);
  try {
    bench(problem, {.room = 1000});
    ADD_FAILURE() << "a plan for 1000 bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_THAT(error.what(), testing::HasSubstr("fronts in parts"));
  }
  std::uint64_t needed = 0;
  {
    FrontBench here = bench(problem, to_host);
    const auto factors = here.run();
    needed = session().ledger().resident();
  }
  for (const std::uint64_t budget : {needed - 1, needed}) {
    DeviceSession limited(SessionOptions{0, budget});
    std::string outcome = "ok";
    try {
      FrontBench(limited, problem, GetParam(), to_host).run();
    } catch (const Error& error) {
      EXPECT_EQ(error.outcome(), Outcome::oom_device);
      outcome = error.what();
    }
    EXPECT_EQ(outcome == "ok", budget == needed) << outcome;
    EXPECT_EQ(limited.ledger().in_use(), 0u);
  }
}

TEST_P(FactorsOnHost, SanitizeTheHostHasALimitToo) {
  const auto problem = separator_problem(7, 16);
  const std::uint64_t pages = session().ledger().report().pinned_peak_bytes;
  DeviceSession limited(SessionOptions{0, std::nullopt, pages + 1000});
  try {
    FrontBench(limited, problem, GetParam(), to_host).run();
    ADD_FAILURE() << "factors in 1000 bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_host);
    EXPECT_EQ(error.code(), "host_memory_limit");
  }
  EXPECT_EQ(limited.ledger().in_use(), 0u);
}

TEST_P(FactorsOnHost, SanitizePageLockedMemoryIsMadeOnceForASession) {
  DeviceSession own(SessionOptions{});
  const auto problem = separator_problem(6, 12);
  FrontBench(own, problem, GetParam(), to_host).run();
  own.ledger().reset_peaks();
  const std::uint64_t held = own.ledger().report().pinned_peak_bytes;
  FrontBench(own, problem, GetParam(), to_host).run();
  EXPECT_EQ(own.ledger().report().pinned_peak_bytes, held);
  FrontBench first(own, problem, GetParam(), to_host), second(own, problem, GetParam(), to_host);
  const auto one = first.run(), other = second.run();
  EXPECT_GT(own.ledger().report().pinned_peak_bytes, held) << "two at a time have their own";
  EXPECT_EQ(values_of(*one), values_of(*other));
}

}  // namespace
}  // namespace lufact::gpu
