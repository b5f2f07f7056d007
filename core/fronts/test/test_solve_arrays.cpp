// SPDX-License-Identifier: BSD-3-Clause
// What solves on the device keep, by the number of right-hand sides.
#include <gtest/gtest.h>

#include <limits>

#include "core/fronts/plan/device_bytes.hpp"

namespace lufact {
namespace {

TEST(SolveArrays, SweepsForManyRightHandSidesAreAsManyAsTheyFill) {
  EXPECT_EQ(many_sweeps(1, false), 0);
  EXPECT_EQ(many_sweeps(fewest_many_columns - 1, false), 0);
  EXPECT_EQ(many_sweeps(fewest_many_columns, false), 1);
  EXPECT_EQ(many_sweeps(many_solve_columns, false), 1);
  EXPECT_EQ(many_sweeps(many_solve_columns + 1, false), 2);
  EXPECT_EQ(many_sweeps(most_many_sweeps * many_solve_columns, false), most_many_sweeps);
  EXPECT_EQ(many_sweeps(std::numeric_limits<Index>::max(), false), most_many_sweeps);
  EXPECT_EQ(many_sweeps(1, true), 1);  // with the transpose there are no others
  EXPECT_EQ(solve_columns(0), front_solve_columns);
  EXPECT_EQ(solve_columns(3), 3 * many_solve_columns);
}

TEST(SolveArrays, BytesAreThoseOfTheColumnsAndOfTheWordsOfEachSweep) {
  FrontCounts counts;
  counts.n = 1000;
  counts.rows = 7000;
  counts.fronts = 90;
  counts.flags = 40;
  const Offset words = solve_words(counts);
  const std::uint64_t few = front_work_bytes(counts, sizeof(double));
  for (const Index sweeps : {1, 3}) {
    counts.sweeps = sweeps;
    EXPECT_EQ(solve_words(counts), sweeps * words);
    const Offset columns = Offset{sweeps} * many_solve_columns - front_solve_columns;
    const Offset more = columns * (counts.n + counts.rows) * Offset{sizeof(double)} +
                        2 * (sweeps - 1) * words * Offset{sizeof(Index)};
    EXPECT_EQ(front_work_bytes(counts, sizeof(double)), few + static_cast<std::uint64_t>(more));
  }
}

}  // namespace
}  // namespace lufact
