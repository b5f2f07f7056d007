// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "core/verify/test/test_support.hpp"
#include "core/verify/validate_schedule.hpp"

namespace lufact {
namespace {

using test::NamedMatrix;
using testing::AllOf;
using testing::HasSubstr;

ColumnPattern fill(const CsrMatrix& a) {
  return reference::fill2(test::natural_order(a).pattern);
}

// The schedule with these levels; they must be 0 .. levels - 1, all taken.
ColumnSchedule schedule_of(std::vector<Index> level_of, DependencyRule rule) {
  ColumnSchedule schedule;
  schedule.rule = rule;
  schedule.level_of = std::move(level_of);
  const auto last = std::max_element(schedule.level_of.begin(), schedule.level_of.end());
  const Index levels = last == schedule.level_of.end() ? 0 : *last + 1;
  schedule.level_ptr.push_back(0);
  for (Index l = 0; l < levels; ++l) {
    for (std::size_t j = 0; j < schedule.level_of.size(); ++j) {
      if (schedule.level_of[j] == l) schedule.columns.push_back(static_cast<Index>(j));
    }
    schedule.level_ptr.push_back(static_cast<Index>(schedule.columns.size()));
  }
  return schedule;
}

TEST(ScheduleValidator, AcceptsSafeReferenceSchedulesOfEveryNamedMatrix) {
  for (const NamedMatrix& named : test::named_matrices()) {
    const ColumnPattern pattern = fill(named.matrix);
    for (const DependencyRule rule : {DependencyRule::exact, DependencyRule::relaxed}) {
      const ValidatorVerdict verdict =
          validate_column_schedule(pattern, reference::levelize(pattern, rule));
      EXPECT_TRUE(verdict.passed) << named.name << ": " << verdict.message;
    }
  }
}

TEST(ScheduleValidator, RejectsTheUnsafeScheduleOfGlu1NamingThePair) {
  const ColumnPattern pattern = fill(test::glu3_example());
  const ValidatorVerdict verdict =
      validate_column_schedule(pattern, reference::levelize(pattern, DependencyRule::glu1));
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.message,
            "column 1 (level 0) must come after column 0 (level 0): double-U, by L(1,0) and "
            "U(0,2)");
}

TEST(ScheduleValidator, AcceptsGlu1WhereItIsSafe) {
  // On a symmetric pattern every double-U pair is a U pair as well.
  for (const NamedMatrix& named : test::named_matrices()) {
    if (named.name != "grid_12x9") continue;
    const ColumnPattern pattern = fill(named.matrix);
    EXPECT_TRUE(
        validate_column_schedule(pattern, reference::levelize(pattern, DependencyRule::glu1))
            .passed);
  }
}

// A column moved up to any earlier level breaks what put it where it was.
TEST(ScheduleValidator, RejectsEveryColumnMovedToTheLevelBefore) {
  Index mutants = 0;
  for (const NamedMatrix& named : test::named_matrices()) {
    const ColumnPattern pattern = fill(named.matrix);
    for (const DependencyRule rule : {DependencyRule::exact, DependencyRule::relaxed}) {
      const ColumnSchedule right = reference::levelize(pattern, rule);
      for (std::size_t j = 0; j < right.level_of.size(); ++j) {
        const Index l = right.level_of[j];
        const auto level = static_cast<std::size_t>(l);
        if (l == 0 || right.level_ptr[level + 1] - right.level_ptr[level] == 1) continue;
        std::vector<Index> moved = right.level_of;
        --moved[j];
        const ValidatorVerdict verdict =
            validate_column_schedule(pattern, schedule_of(moved, rule));
        EXPECT_FALSE(verdict.passed) << named.name << " column " << j;
        EXPECT_THAT(verdict.message, HasSubstr("column " + std::to_string(j) + " "));
        ++mutants;
      }
    }
  }
  EXPECT_GT(mutants, 100);
}

// A column that another waits for, moved down to the level of that other.
TEST(ScheduleValidator, RejectsEveryColumnMovedToTheLevelOfOneThatWaitsForIt) {
  for (const NamedMatrix& named : test::named_matrices()) {
    const ColumnPattern pattern = fill(named.matrix);
    if (pattern.rows.n_rows > 65) continue;
    for (const DependencyRule rule : {DependencyRule::exact, DependencyRule::relaxed}) {
      const ColumnSchedule right = reference::levelize(pattern, rule);
      const auto waits_for = reference::dependencies(pattern, rule);
      for (std::size_t k = 0; k < waits_for.size(); ++k) {
        for (const Index i : waits_for[k]) {
          std::vector<Index> moved = right.level_of;
          moved[static_cast<std::size_t>(i)] = moved[k];
          EXPECT_FALSE(validate_column_schedule(pattern, schedule_of(moved, rule)).passed)
              << named.name << " columns " << i << " and " << k;
        }
      }
    }
  }
}

TEST(ScheduleValidator, RelaxedSchedulesMustKeepTheirOwnRule) {
  // L(1,0) alone: no hazard, but GLU3's rule waits for it.
  const ColumnPattern pattern =
      fill(test::matrix_from_triplets(2, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}}));
  EXPECT_TRUE(validate_column_schedule(pattern, schedule_of({0, 0}, DependencyRule::exact)).passed);
  const ValidatorVerdict verdict =
      validate_column_schedule(pattern, schedule_of({0, 0}, DependencyRule::relaxed));
  EXPECT_EQ(verdict.message, "column 1 (level 0) must come after column 0 (level 0): L(1,0)");
}

TEST(ScheduleValidator, AcceptsMoreLevelsThanNeeded) {
  const ColumnPattern pattern =
      fill(test::matrix_from_triplets(3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}}));
  EXPECT_TRUE(
      validate_column_schedule(pattern, schedule_of({2, 0, 1}, DependencyRule::exact)).passed);
}

TEST(ScheduleValidator, RejectsArraysThatDisagree) {
  const ColumnPattern pattern = fill(test::random_matrix(33, 2, 2));
  const ColumnSchedule right = reference::levelize(pattern, DependencyRule::exact);
  const auto message = [&pattern](const ColumnSchedule& schedule) {
    return validate_column_schedule(pattern, schedule).message;
  };
  ASSERT_GE(right.level_ptr[1], 2);
  ColumnSchedule swapped = right;
  std::swap(swapped.columns[0], swapped.columns[1]);
  EXPECT_THAT(message(swapped), AllOf(HasSubstr("level 0 has column"), HasSubstr("after column")));
  ColumnSchedule repeated = right;
  repeated.columns[1] = repeated.columns[0];
  EXPECT_THAT(message(repeated), HasSubstr("level 0 has column"));
  ColumnSchedule outside = right;
  outside.columns[0] = -1;
  EXPECT_EQ(message(outside), "level 0 holds column -1");
  ColumnSchedule relabelled = right;
  relabelled.level_of[static_cast<std::size_t>(right.columns[0])] = 1;
  EXPECT_THAT(message(relabelled), HasSubstr("stands in level 0, but its level_of is 1"));
  ColumnSchedule with_empty_level = right;
  with_empty_level.level_ptr.push_back(33);
  EXPECT_THAT(message(with_empty_level), HasSubstr("is empty"));
  ColumnSchedule cut = right;
  cut.level_ptr.pop_back();
  EXPECT_EQ(message(cut), "level_ptr does not run from 0 to 33");
  ColumnSchedule short_columns = right;
  short_columns.columns.pop_back();
  EXPECT_NE(message(short_columns), "");
}

}  // namespace
}  // namespace lufact
