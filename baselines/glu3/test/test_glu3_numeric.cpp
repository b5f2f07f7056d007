// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>

#include "baselines/glu3/glu3_stages.hpp"
#include "baselines/glu3/update_plan.hpp"
#include "core/base/error.hpp"
#include "core/columns/levelize.hpp"
#include "core/columns/symbolic_gp_pruned.hpp"
#include "core/columns/test/stage_harness.hpp"

namespace lufact {
namespace {

using test::Factored;
using test::Harness;
constexpr std::array precisions{Precision::float32, Precision::float64};
constexpr std::array safe_rules{DependencyRule::exact, DependencyRule::relaxed};

Factored factor_glu3(const ProductPtr& b, Harness& harness) {
  Factored result;
  result.pattern = make_gp_pruned_symbolic()->run(b, harness.context);
  result.schedule = make_cpu_levelize()->run(result.pattern, harness.context);
  result.factors = make_glu3_numeric()->run(b, result.pattern, result.schedule, harness.context);
  return result;
}

TEST(Glu3Numeric, HasTheFactorsOfTheLeftLookingEngine) {
  for (const auto& named : test::cpu_matrices()) {
    if (!named.dominant) continue;
    const auto b = test::natural_product(named.matrix);
    test::give_scales(*b, 42);
    for (const Precision precision : precisions) {
      for (const DependencyRule rule : safe_rules) {
        SCOPED_TRACE(named.name + " " + std::string(to_string(rule)));
        Harness harness(1, precision);
        harness.options.dependency = rule;
        const std::vector<double> expected = test::factor(b, harness).values();
        const Factored lu = factor_glu3(b, harness);
        const std::vector<double> values = lu.values();
        ASSERT_EQ(values.size(), expected.size());
        const double unit = precision == Precision::float64 ? 0x1p-53 : 0x1p-24;
        for (std::size_t p = 0; p < values.size(); ++p) {
          ASSERT_NEAR(values[p], expected[p], 400 * unit * b->scaled_norm) << p;
        }
        EXPECT_EQ(lu.factors->figures().perturbed_pivots, 0);
      }
    }
  }
}

TEST(Glu3Numeric, GivesTheSameBitsForAnyNumberOfThreads) {
  // Nearly dense after fill-in: millions of multiply-adds, so that all threads are used.
  const auto b = test::natural_product(test::random_matrix(300, 8, 11));
  for (const Precision precision : precisions) {
    Harness one(1, precision);
    const Factored expected = factor_glu3(b, one);
    for (const int threads : {2, 3}) {
      Harness several(threads, precision);
      const Factored lu = factor_glu3(b, several);
      EXPECT_EQ(lu.factors->values_sha256(), expected.factors->values_sha256()) << threads;
      EXPECT_EQ(lu.factors->figures().growth, expected.factors->figures().growth);
    }
  }
}

TEST(Glu3Numeric, RefactorGivesTheBitsOfAFreshFactorization) {
  const auto first = test::natural_product(test::random_matrix(150, 4, 21));
  auto second = std::make_shared<PermutedMatrix>(*first);
  for (std::size_t p = 0; p < second->values.size(); ++p) {
    second->values[p] *= 1 + 1e-3 * unit_interval(hash64(9, p));
  }
  Harness harness(2);
  const Factored lu = factor_glu3(first, harness);
  const Factored fresh = factor_glu3(second, harness);
  EXPECT_NE(lu.factors->values_sha256(), fresh.factors->values_sha256());
  lu.factors->refactor(second, harness.context);
  EXPECT_EQ(lu.factors->values_sha256(), fresh.factors->values_sha256());
}

TEST(Glu3Numeric, ReplacesSmallPivotsAsTheLeftLookingEngineDoes) {
  const auto b = test::natural_product(test::matrix_from_triplets(
      4, {{0, 0, 1}, {0, 3, 1}, {1, 1, -1e-14}, {2, 2, 4}, {3, 0, 1}, {3, 3, 1}}));
  Harness harness;
  const Factored lu = factor_glu3(b, harness);
  const Factored expected = test::factor(b, harness);
  EXPECT_EQ(lu.values(), expected.values());
  EXPECT_EQ(lu.factors->figures().perturbed_pivots, 2);
  EXPECT_EQ(lu.factors->figures().largest_perturbation,
            expected.factors->figures().largest_perturbation);
}

TEST(Glu3Numeric, RefusesAScheduleOfTheUnsafeRuleUnlessForced) {
  const auto b = test::natural_product(test::glu3_example());
  Harness harness;
  harness.options.dependency = DependencyRule::glu1;
  EXPECT_THROW(factor_glu3(b, harness), Error);
  harness.options.force_unsafe = true;
  EXPECT_NO_THROW(factor_glu3(b, harness));
}

// Work of one level after the other, each update once, sources and targets ascending.
TEST(UpdatePlan, OrdersEveryUpdateOnce) {
  for (const auto& named : test::cpu_matrices()) {
    SCOPED_TRACE(named.name);
    Harness harness;
    const CsrPattern& b = named.matrix.pattern;
    const ColumnPattern pattern = factor_pattern_gp_pruned(b.view(), harness.context);
    const ColumnStorage storage = columns_of(pattern, 1);
    const ColumnSchedule schedule = column_schedule(pattern, DependencyRule::exact);
    const UpdatePlan plan = plan_updates(pattern, storage, schedule, 3);
    ASSERT_EQ(plan.level_group_ptr.size(), std::size_t(schedule.levels()) + 1);
    EXPECT_EQ(plan.group_ptr.back(), plan.updates.size());
    Offset expected = 0;
    for (Index j = 0; j < b.n_rows; ++j) {
      const auto k = std::size_t(j);
      const bool has_lower = storage.columns.row_ptr[k + 1] > storage.diagonal[k] + 1;
      if (has_lower) expected += pattern.rows.row_ptr[k + 1] - pattern.diagonal[k] - 1;
    }
    EXPECT_EQ(plan.updates.size(), expected);
    for (Index level = 0; level < schedule.levels(); ++level) {
      const Offset begin = plan.group_ptr[std::size_t(plan.level_group_ptr[std::size_t(level)])];
      const Offset end = plan.group_ptr[std::size_t(plan.level_group_ptr[std::size_t(level) + 1])];
      for (Offset u = begin; u < end; ++u) {
        const ColumnUpdate update = plan.updates[u];
        EXPECT_EQ(schedule.level_of[std::size_t(update.source)], level);
        EXPECT_GE(find_entry(pattern.rows.view(), update.source, update.target), 0);
        if (u == begin) continue;
        const ColumnUpdate before = plan.updates[u - 1];
        EXPECT_TRUE(before.target < update.target ||
                    (before.target == update.target && before.source < update.source));
      }
    }
  }
}

TEST(UpdatePlan, CoversAllLevelsBySteps) {
  Harness harness;
  const CsrMatrix a = test::random_matrix(300, 6, 4);
  const ColumnPattern pattern = factor_pattern_gp_pruned(a.pattern.view(), harness.context);
  const ColumnSchedule schedule = column_schedule(pattern, DependencyRule::relaxed);
  const UpdatePlan plan = plan_updates(pattern, columns_of(pattern, 1), schedule, 1);
  ASSERT_EQ(plan.step_ptr.size(), plan.step_is_parallel.size() + 1);
  EXPECT_EQ(plan.step_ptr.back(), schedule.levels());
  bool any_parallel = false, any_alone = false;
  for (std::size_t step = 0; step + 1 < plan.step_ptr.size(); ++step) {
    EXPECT_LT(plan.step_ptr[step], plan.step_ptr[step + 1]);
    const bool parallel = plan.step_is_parallel[step] != 0;
    any_parallel |= parallel;
    any_alone |= !parallel;
    if (parallel) {
      EXPECT_EQ(plan.step_ptr[step] + 1, plan.step_ptr[step + 1]);
    }
  }
  EXPECT_TRUE(any_parallel);
  EXPECT_TRUE(any_alone);
}

}  // namespace
}  // namespace lufact
