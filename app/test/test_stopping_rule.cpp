// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "app/config/measuring.hpp"
#include "app/config/run_config.hpp"
#include "app/run/stopping_rule.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

std::vector<Sample> samples_of(std::initializer_list<double> totals) {
  std::vector<Sample> samples;
  for (const double total_s : totals) samples.emplace_back().total_s = total_s;
  return samples;
}

Taken taken_of(const std::vector<Sample>& samples, double used_s = 0) {
  return {static_cast<int>(samples.size()), samples, used_s};
}

Measuring adaptive() {
  Measuring measuring;
  measuring.max_noise_percent = 5;
  measuring.max_repetitions = 20;
  return measuring;
}

TEST(StoppingRule, AFixedNumberIsAFixedNumber) {
  Measuring measuring;
  measuring.repetitions = 3;
  const auto two = samples_of({1, 100}), one = samples_of({1});
  EXPECT_EQ(last_because(measuring, taken_of(two), true), "count");
  EXPECT_FALSE(last_because(measuring, taken_of(one), true));
  EXPECT_FALSE(last_because(measuring, taken_of({}), true));
  EXPECT_FALSE(begin_sampling(measuring).max_repetitions);
  measuring.repetitions = 1;
  EXPECT_EQ(last_because(measuring, taken_of({}), true), "count");
}

TEST(StoppingRule, QuietTotalsEndAfterTheFewest) {
  const auto three = samples_of({1, 1, 1}), four = samples_of({1, 1.01, 1, 0.99});
  EXPECT_FALSE(is_settled(adaptive(), taken_of(three)));
  EXPECT_TRUE(is_settled(adaptive(), taken_of(four)));
  EXPECT_EQ(last_because(adaptive(), taken_of(four), true), "goal");
  EXPECT_FALSE(last_because(adaptive(), taken_of(four), false)) << "another one is not settled";
}

TEST(StoppingRule, NoisyTotalsGoOnToTheMost) {
  std::vector<Sample> samples;
  for (int k = 0; k < 18; ++k) samples.emplace_back().total_s = 1 + k % 3;
  EXPECT_FALSE(last_because(adaptive(), taken_of(samples), true));
  samples.emplace_back().total_s = 1;
  EXPECT_EQ(last_because(adaptive(), taken_of(samples), true), "max_repetitions");
}

TEST(StoppingRule, TimeAndNoiseMustBothBeReached) {
  Measuring measuring = adaptive();
  measuring.min_time_s = 10;
  const auto short_ones = samples_of({1, 1, 1, 1, 1}), long_ones = samples_of({2, 2, 2, 2, 2});
  EXPECT_FALSE(is_settled(measuring, taken_of(short_ones)));
  EXPECT_TRUE(is_settled(measuring, taken_of(long_ones)));
}

TEST(StoppingRule, EndsBeforeTheTimeoutDoes) {
  Measuring measuring = adaptive();
  measuring.timeout_s = 100;
  const auto noisy = samples_of({1, 3, 1, 3, 1, 3});
  EXPECT_FALSE(last_because(measuring, taken_of(noisy, 60), true));
  EXPECT_EQ(last_because(measuring, taken_of(noisy, 70), true), "timeout");
}

TEST(StoppingRule, AProgramThatGivesNoTimesEndsToo) {
  Measuring measuring = adaptive();
  measuring.min_time_s = 10;
  EXPECT_FALSE(last_because(measuring, {18, {}, 0}, true));
  EXPECT_EQ(last_because(measuring, {19, {}, 0}, true), "max_repetitions");
}

TEST(StoppingRule, TakesItsNumbersFromTheOptions) {
  RunConfig config;
  config.repetitions = 2;
  EXPECT_EQ(measuring_of(config).repetitions, 2);
  config.max_repetitions = 8;
  EXPECT_THROW(check_repetitions(config), UsageError);  // of what
  config.min_time_s = 1;
  EXPECT_NO_THROW(check_repetitions(config));
  EXPECT_EQ(measuring_of(config).repetitions, 5);
  EXPECT_EQ(measuring_of(config).max_repetitions, 8);
  config.repetitions = 9;
  EXPECT_THROW(check_repetitions(config), UsageError);
  config.max_repetitions.reset();
  config.repetitions = 300;
  EXPECT_EQ(measuring_of(config).max_repetitions, 300);
}

}  // namespace
}  // namespace lufact
