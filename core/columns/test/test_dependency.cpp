// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/columns/dependency.hpp"
#include "core/columns/glu2_search.hpp"
#include "core/columns/levelize.hpp"
#include "core/columns/symbolic_gp_pruned.hpp"
#include "core/columns/test/dense_elimination.hpp"
#include "core/columns/test/stage_harness.hpp"

namespace lufact {
namespace {

using test::Harness;
constexpr std::array rules{DependencyRule::glu1, DependencyRule::exact, DependencyRule::relaxed};

ColumnPattern pattern_of(const CsrMatrix& a) {
  Harness harness;
  return factor_pattern_gp_pruned(a.pattern.view(), harness.context);
}

TEST(Dependency, LevelsAreThoseOfTheDefinitionOfEveryRule) {
  for (const auto& named : test::cpu_matrices()) {
    const auto dense = test::eliminate_pattern(named.matrix.pattern);
    const ColumnPattern pattern = pattern_of(named.matrix);
    for (const DependencyRule rule : rules) {
      SCOPED_TRACE(named.name + " " + std::string(to_string(rule)));
      const std::vector<Index> expected = test::dense_levels(dense, rule);
      EXPECT_EQ(column_levels(pattern, rule), expected);
      const Offset levels =
          expected.empty() ? 0 : Offset{*std::max_element(expected.begin(), expected.end())} + 1;
      EXPECT_EQ(count_levels(pattern, rule), levels);
    }
  }
}

TEST(Dependency, Glu1MissesTheDoubleUHazardOfTheGlu3Example) {
  const ColumnPattern pattern = pattern_of(test::glu3_example());
  EXPECT_EQ(column_levels(pattern, DependencyRule::glu1), (std::vector<Index>{0, 0, 1}));
  EXPECT_EQ(column_levels(pattern, DependencyRule::exact), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(column_levels(pattern, DependencyRule::relaxed), (std::vector<Index>{0, 1, 2}));
}

TEST(Dependency, RelaxedWaitsWhereExactSeesNoHazard) {
  // L(1,0) != 0, but row 0 of U has nothing beyond column 1.
  const ColumnPattern pattern =
      pattern_of(test::matrix_from_triplets(2, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}}));
  EXPECT_EQ(count_levels(pattern, DependencyRule::exact), 1);
  EXPECT_EQ(count_levels(pattern, DependencyRule::relaxed), 2);
}

TEST(Dependency, TheSearchOfGlu2FindsTheLevelsOfTheExactRule) {
  for (const auto& named : test::cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const ColumnPattern pattern = pattern_of(named.matrix);
    const std::vector<Index> expected = column_levels(pattern, DependencyRule::exact);
    EXPECT_EQ(glu2_search_levels(pattern, Glu2Search::quick), expected);
    EXPECT_EQ(glu2_search_levels(pattern, Glu2Search::plain), expected);
  }
}

TEST(Levelize, GroupsTheColumnsByLevel) {
  for (const auto& named : test::cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const ColumnPattern pattern = pattern_of(named.matrix);
    const ColumnSchedule schedule = column_schedule(pattern, DependencyRule::exact);
    EXPECT_EQ(schedule.rule, DependencyRule::exact);
    EXPECT_EQ(Offset{schedule.levels()}, count_levels(pattern, DependencyRule::exact));
    ASSERT_EQ(schedule.columns.size(), static_cast<std::size_t>(pattern.rows.n_rows));
    std::vector<int> seen(schedule.columns.size(), 0);
    for (Index l = 0; l < schedule.levels(); ++l) {
      const auto begin = schedule.level_ptr[static_cast<std::size_t>(l)];
      const auto end = schedule.level_ptr[static_cast<std::size_t>(l) + 1];
      EXPECT_LT(begin, end);
      for (Index k = begin; k < end; ++k) {
        const auto column = static_cast<std::size_t>(schedule.columns[static_cast<std::size_t>(k)]);
        EXPECT_EQ(schedule.level_of[column], l);
        ++seen[column];
        if (k > begin) {
          EXPECT_GT(schedule.columns[static_cast<std::size_t>(k)],
                    schedule.columns[static_cast<std::size_t>(k) - 1]);
        }
      }
    }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
  }
}

TEST(Levelize, TheStageFollowsTheRuleOfTheOptions) {
  const auto b = test::natural_product(test::glu3_example());
  Harness harness;
  const ProductPtr pattern = make_gp_pruned_symbolic()->run(b, harness.context);
  for (const DependencyRule rule : rules) {
    harness.options.dependency = rule;
    const ProductPtr schedule = make_cpu_levelize()->run(pattern, harness.context);
    const auto& columns = product_cast<ColumnSchedule>(*schedule);
    EXPECT_EQ(columns.rule, rule);
    EXPECT_EQ(columns.levels(), rule == DependencyRule::glu1 ? 2 : 3);
  }
}

TEST(Levelize, TheSearchOfGlu2GivesTheExactScheduleAndNoOther) {
  const auto b = test::natural_product(test::random_matrix(65, 2, 3));
  Harness harness;
  const ProductPtr pattern = make_gp_pruned_symbolic()->run(b, harness.context);
  for (const DependencyRule rule : rules) {
    harness.options.dependency = rule;
    if (rule != DependencyRule::exact) {
      EXPECT_THROW(make_glu2_search_levelize()->run(pattern, harness.context), Error);
      EXPECT_THROW(make_glu2_plain_levelize()->run(pattern, harness.context), Error);
      continue;
    }
    const ProductPtr schedule = make_glu2_search_levelize()->run(pattern, harness.context);
    const ProductPtr expected = make_cpu_levelize()->run(pattern, harness.context);
    EXPECT_EQ(product_cast<ColumnSchedule>(*schedule).columns,
              product_cast<ColumnSchedule>(*expected).columns);
  }
}

}  // namespace
}  // namespace lufact
