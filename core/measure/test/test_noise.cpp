// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/measure/host_state.hpp"
#include "core/measure/noise.hpp"

namespace lufact {
namespace {

TEST(Noise, IsTheNotchOfABoxPlot) {
  SampleSummary summary;
  summary.n = 16;
  summary.median = 10;
  summary.q1 = 9.5;
  summary.q3 = 11.5;
  EXPECT_DOUBLE_EQ(relative_spread(summary).value(), 0.2);
  EXPECT_DOUBLE_EQ(relative_noise(summary).value(), 1.57 * 0.2 / 4);
  EXPECT_FALSE(relative_spread(SampleSummary{}));
  EXPECT_FALSE(relative_noise(SampleSummary{}));
}

TEST(Outliers, AreFarAboveTheOthers) {
  EXPECT_THAT(outliers_above(std::array{10.0, 10.1, 67.0, 9.9, 10.0, 10.2}),
              testing::ElementsAre(2));
  // Far out among samples that hardly differ, but of no importance.
  EXPECT_THAT(outliers_above(std::array{10.0, 10.0, 10.5, 10.0, 10.0, 10.0}), testing::IsEmpty());
  // Two fifths of the samples are no outliers but noise.
  EXPECT_THAT(outliers_above(std::array{10.0, 10.0, 10.0, 67.0, 68.0}), testing::IsEmpty());
  EXPECT_THAT(outliers_above(std::array{10.0, 10.0, 67.0, 10.0}), testing::IsEmpty());
}

TEST(HostState, SaysWhatTheProcessWasGiven) {
  setenv("GOMP_OF_A_TEST", "7=8", 1);
  const HostState state = read_host_state(3);
  unsetenv("GOMP_OF_A_TEST");
  EXPECT_EQ(state.threads, 3);
  EXPECT_GE(state.processors, 1);
  EXPECT_FALSE(state.processor_list.empty());
  EXPECT_EQ(state.environment.at("GOMP_OF_A_TEST"), "7=8");
  EXPECT_FALSE(state.environment.contains("PATH"));
  EXPECT_FALSE(state.load_after);
}

}  // namespace
}  // namespace lufact
