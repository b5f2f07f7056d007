// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>

#include "core/measure/statistics.hpp"

namespace lufact {
namespace {

TEST(Quantile, IsTypeSeven) {
  // R: quantile(c(1,2,3,4), c(.25,.5,.75), type = 7) gives 1.75, 2.5, 3.25.
  const std::array<double, 4> samples{4, 1, 3, 2};
  const auto summary = summarize(samples);
  ASSERT_TRUE(summary.has_value());
  EXPECT_DOUBLE_EQ(summary->q1, 1.75);
  EXPECT_DOUBLE_EQ(summary->median, 2.5);
  EXPECT_DOUBLE_EQ(summary->q3, 3.25);
  EXPECT_EQ(summary->n, 4u);
  EXPECT_FALSE(summarize({}).has_value());
}

TEST(ComparePaired, SeesAClearDifferenceAndASameSample) {
  const std::array<double, 6> slow{2.0, 2.1, 1.9, 2.0, 2.05, 1.95};
  const std::array<double, 6> fast{1.0, 1.05, 0.95, 1.0, 1.02, 0.98};
  const auto faster = compare_paired(slow, fast, 1);
  EXPECT_NEAR(faster.ratio, 2.0, 0.05);
  EXPECT_EQ(faster.verdict, Verdict::faster);
  EXPECT_EQ(compare_paired(fast, slow, 1).verdict, Verdict::slower);
  EXPECT_EQ(compare_paired(slow, slow, 1).verdict, Verdict::same);
}

TEST(ComparePaired, GivesNoIntervalBelowFivePairs) {
  const std::array<double, 4> a{1, 2, 3, 4};
  const auto estimate = compare_paired(a, a, 1);
  EXPECT_FALSE(estimate.ci_low.has_value());
  EXPECT_EQ(estimate.verdict, Verdict::unclear);
}

TEST(ComparePaired, IsReproducible) {
  const std::array<double, 5> a{1, 2, 3, 4, 5}, b{2, 1, 4, 3, 5};
  EXPECT_EQ(compare_paired(a, b, 7).ci_low, compare_paired(a, b, 7).ci_low);
}

TEST(CompareUnpaired, TakesSidesOfDifferentLength) {
  const std::array<double, 6> slow{2.0, 2.1, 1.9, 2.0, 2.05, 1.95};
  const std::array<double, 9> fast{1.0, 1.05, 0.95, 1.0, 1.02, 0.98, 1.01, 0.99, 1.0};
  const auto estimate = compare_unpaired(slow, fast, 1);
  EXPECT_DOUBLE_EQ(estimate.ratio, 2.0);
  EXPECT_EQ(estimate.verdict, Verdict::faster);
  EXPECT_EQ(compare_unpaired(fast, slow, 1).verdict, Verdict::slower);
  EXPECT_EQ(compare_unpaired(slow, slow, 1).ci_low, compare_unpaired(slow, slow, 1).ci_low);
  const std::array<double, 4> few{1, 1, 1, 1};
  EXPECT_FALSE(compare_unpaired(slow, few, 1).ci_low.has_value());
}

// What a drift does to both sides is no noise of pairs; that of samples without pairs it is.
TEST(CompareUnpaired, HasWiderIntervalsThanPairsThatDriftTogether) {
  const std::array<double, 6> a{1, 2, 3, 4, 5, 6}, b{2, 4, 6, 8, 10, 12};
  EXPECT_DOUBLE_EQ(*compare_paired(a, b, 1).ci_low, *compare_paired(a, b, 1).ci_high);
  EXPECT_LT(*compare_unpaired(a, b, 1).ci_low, *compare_unpaired(a, b, 1).ci_high);
}

}  // namespace
}  // namespace lufact
