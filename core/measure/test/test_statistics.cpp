// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

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

// An end of an interval between its values at 93% and at 97%: with 2000 resamples it may be that
// far from the one at 95%, since a median of few samples takes few values.
void expect_between(std::optional<double> end, double at_one, double at_other) {
  constexpr double rounding = 1e-6;
  EXPECT_GE(end.value(), std::min(at_one, at_other) - rounding);
  EXPECT_LE(end.value(), std::max(at_one, at_other) + rounding);
}

// The ends that follow are those of scipy 1.17.1, for confidence_level of 0.97 and 0.93:
//   ratio = lambda x, y, axis=-1: np.median(x, axis=axis) / np.median(y, axis=axis)
//   scipy.stats.bootstrap((a, b), ratio, paired=False, method='percentile', batch=50000,
//                         confidence_level=0.97, n_resamples=1000000, vectorized=True,
//                         rng=np.random.default_rng(1)).confidence_interval
TEST(CompareUnpaired, IsWhatScipySaysOfUnequalSamples) {
  const std::array<double, 7> a{10.2, 9.9, 10.6, 10.1, 10.4, 9.7, 10.3};
  const std::array<double, 11> b{11.2, 11.5, 10.9, 11.1, 11.9, 11.4, 11.0, 11.3, 11.6, 10.8, 11.7};
  for (const std::uint64_t seed : {1, 2, 3}) {
    const RatioEstimate estimate = compare_unpaired(a, b, seed);
    EXPECT_DOUBLE_EQ(estimate.ratio, 10.2 / 11.3);
    expect_between(estimate.ci_low, 0.8608696, 0.8684211);
    expect_between(estimate.ci_high, 0.9369370, 0.9363637);
    EXPECT_EQ(estimate.verdict, Verdict::slower);
  }
}

TEST(CompareUnpaired, IsWhatScipySaysOfWideSamples) {
  const std::array<double, 5> a{10.2, 9.9, 10.6, 10.1, 10.4};
  const std::array<double, 8> b{8.1, 10.5, 12.9, 9.4, 11.2, 10.0, 9.1, 13.3};
  const RatioEstimate estimate = compare_unpaired(a, b, 1);
  EXPECT_DOUBLE_EQ(estimate.ratio, 10.2 / 10.25);
  expect_between(estimate.ci_low, 0.7906977, 0.8381743);
  expect_between(estimate.ci_high, 1.1428571, 1.1208791);
  EXPECT_EQ(estimate.verdict, Verdict::unclear);
}

// The same call with paired=True.
TEST(ComparePaired, IsWhatScipySays) {
  const std::array<double, 7> a{10.2, 9.9, 10.6, 10.1, 10.4, 9.7, 10.3};
  const std::array<double, 7> b{11.2, 11.5, 10.9, 11.1, 11.9, 11.4, 11.0};
  const RatioEstimate estimate = compare_paired(a, b, 1);
  EXPECT_DOUBLE_EQ(estimate.ratio, 10.2 / 11.2);
  expect_between(estimate.ci_low, 0.8608696, 0.8608696);
  expect_between(estimate.ci_high, 0.9454545, 0.9369369);
}

TEST(CompareUnpaired, GivesNoIntervalWhereASideHasFewSamples) {
  const std::array<double, 4> few{1, 2, 3, 4};
  const std::array<double, 9> many{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_FALSE(compare_unpaired(few, many, 1).ci_low.has_value());
  EXPECT_FALSE(compare_unpaired(many, few, 1).ci_low.has_value());
  EXPECT_DOUBLE_EQ(compare_unpaired(few, many, 1).ratio, 0.5);
  EXPECT_THROW(compare_unpaired(few, {}, 1), std::invalid_argument);
}

TEST(JudgeChange, CountsWhatIsBeyondTheToleranceAndTheInterval) {
  const auto judged = [](double low, double ratio, double high, double tolerance) {
    return judge_change({ratio, low, high}, tolerance);
  };
  EXPECT_EQ(judged(1.02, 1.06, 1.09, 0.05), Verdict::faster);
  EXPECT_EQ(judged(0.92, 0.94, 0.99, 0.05), Verdict::slower);
  EXPECT_EQ(judged(0.96, 0.98, 0.99, 0.05), Verdict::same);
  EXPECT_EQ(judged(0.92, 0.97, 0.99, 0.05), Verdict::unclear);  // less than the tolerance
  EXPECT_EQ(judged(0.80, 0.90, 1.01, 0.05), Verdict::unclear);  // within the noise
  EXPECT_EQ(judged(0.45, 0.50, 0.55, 1.5), Verdict::same);
  EXPECT_EQ(judge_change({0.5, {}, {}}, 0.05), Verdict::unclear);
}

}  // namespace
}  // namespace lufact
