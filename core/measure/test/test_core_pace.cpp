// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sched.h>

#include "core/measure/core_pace.hpp"

namespace lufact {
namespace {

TEST(CorePace, IsThatOfTheProcessorAtHand) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  cpu_set_t last;
  CPU_ZERO(&last);
  int processor = CPU_SETSIZE - 1;
  while (!CPU_ISSET(processor, &mine)) --processor;
  CPU_SET(processor, &last);
  ASSERT_EQ(sched_setaffinity(0, sizeof last, &last), 0);
  EXPECT_EQ(measure_core_pace().processor, processor);
  sched_setaffinity(0, sizeof mine, &mine);
}

// At most six operations in a cycle of 0.1 ns, and no compiler has taken them away.
TEST(CorePace, TakesTheTimeOfItsOperations) {
  const CorePace pace = measure_core_pace();
  EXPECT_GT(pace.independent_s, 40'000 / 6.0 * 1e-10);
  EXPECT_GT(pace.dependent_s, 10'000 * 2 * 1e-10);
  EXPECT_LT(pace.independent_s + pace.dependent_s, 0.1);
}

}  // namespace
}  // namespace lufact
