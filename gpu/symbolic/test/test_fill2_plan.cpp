// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.hpp"
#include "gpu/symbolic/fill2/fill2_plan.hpp"

namespace lufact::gpu {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

TEST(Fill2Plan, MarksHoldABitForEveryVertexAndASummaryBitForEveryWord) {
  for (const Index n : {0, 1, 31, 32, 33, 1023, 1024, 1025, 100000, (1 << 30) - 1}) {
    for (const int sets : {1, 3}) {
      const Fill2RowNeeds needs{n, sets};
      EXPECT_EQ(needs.set_words() % 32, 0);
      EXPECT_GE(std::int64_t{32} * needs.set_words(), n);
      EXPECT_LT(std::int64_t{32} * needs.set_words(), std::int64_t{n} + 1024);
      EXPECT_EQ(needs.mark_words(), sets * needs.set_words() + needs.set_words() / 32);
      EXPECT_EQ(needs.mark_bytes(), 4 * static_cast<std::uint64_t>(needs.mark_words()));
    }
  }
}

TEST(Fill2Plan, SmallMarksLieInSharedMemoryAndTakeNoScratch) {
  const Fill2RowNeeds needs{40000, 3};
  ASSERT_TRUE(shares_marks(needs));
  const Fill2Slots slots = plan_fill2_slots(needs, 4000, unlimited);
  EXPECT_TRUE(slots.shared_marks);
  EXPECT_EQ(slots.count, 4000);
  EXPECT_EQ(slots.scratch_bytes(needs), 0u);
}

TEST(Fill2Plan, LargeMarksTakeScratch) {
  const Fill2RowNeeds needs{1000000, 3};
  ASSERT_FALSE(shares_marks(needs));
  const Fill2Slots slots = plan_fill2_slots(needs, 4000, unlimited);
  EXPECT_FALSE(slots.shared_marks);
  EXPECT_EQ(slots.scratch_bytes(needs), 4000 * needs.mark_bytes());
}

TEST(Fill2Plan, NeverMoreSlotsThanRows) {
  EXPECT_EQ(plan_fill2_slots({7, 1}, 4000, unlimited).count, 7);
  EXPECT_EQ(plan_fill2_slots({0, 1}, 4000, 0).count, 0);
}

TEST(Fill2Plan, SlotsStayWithinTheBudgetAndUseItUp) {
  for (const Fill2RowNeeds& needs :
       {Fill2RowNeeds{5000, 3}, Fill2RowNeeds{900000, 1}, Fill2RowNeeds{300000, 3}}) {
    const Fill2Slots one{1, shares_marks(needs)};
    const std::uint64_t row = one.scratch_bytes(needs);
    for (std::uint64_t budget = row; budget <= 3000 * row; budget = budget * 7 / 4 + 1) {
      const Fill2Slots slots = plan_fill2_slots(needs, 2000, budget);
      EXPECT_GE(slots.count, 1);
      EXPECT_LE(slots.scratch_bytes(needs), budget);
      EXPECT_TRUE(slots.count == 2000 || slots.scratch_bytes(needs) + row > budget);
    }
  }
}

TEST(Fill2Plan, KeptEntriesLeaveMostOfTheBudgetAndAreNoneWhereItIsSmall) {
  EXPECT_EQ(plan_kept_entries(1000, 5000, 0), 0);
  EXPECT_EQ(plan_kept_entries(1000, 5000, (1 << 20) + 2 * 12000 - 1), 0);
  EXPECT_EQ(plan_kept_entries(1000, 5000, unlimited), 80000);
  EXPECT_EQ(plan_kept_entries(1000, Offset{1} << 40, unlimited), 16 << 20);
  for (std::uint64_t available = 1 << 20; available < 1u << 30; available = available * 5 / 3) {
    const Offset kept = plan_kept_entries(1000, Offset{1} << 40, available);
    if (kept == 0) continue;
    EXPECT_LE(kept_list_bytes(1000) + 4 * static_cast<std::uint64_t>(kept), available * 5 / 8);
  }
}

TEST(Fill2Plan, ABudgetBelowOneRowSaysHowManyBytesOneRowNeeds) {
  const Fill2RowNeeds needs{1000000, 3};
  const std::uint64_t row = Fill2Slots{1, false}.scratch_bytes(needs);
  EXPECT_EQ(plan_fill2_slots(needs, 4000, row).count, 1);
  try {
    plan_fill2_slots(needs, 4000, row - 1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), "device_budget");
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(row)));
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(row - 1)));
  }
}

}  // namespace
}  // namespace lufact::gpu
