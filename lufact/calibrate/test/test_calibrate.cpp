// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "lufact/calibrate/calibrate.hpp"

namespace lufact {
namespace {

TEST(RateFit, ScalesTimesAndSpeedsOfAStepByTheMedianRatio) {
  const RateSet base{.name = "base"};
  const RateSet fit =
      fit_rates(base, std::vector<RateMeasurement>{{"cpu-multifrontal", "a", 1e-3, 2e-3},
                                                   {"cpu-multifrontal", "b", 1e-3, 3e-3},
                                                   {"cpu-multifrontal", "c", 1e-3, 90e-3},
                                                   {"amd", "a", 1e-3, 0.5e-3}});
  EXPECT_DOUBLE_EQ(fit.rates.host_fronts.row_s, 3 * base.rates.host_fronts.row_s);
  EXPECT_DOUBLE_EQ(fit.rates.host_fronts.flops_per_s, base.rates.host_fronts.flops_per_s / 3);
  EXPECT_EQ(fit.rates.host_fronts.plan_s, base.rates.host_fronts.plan_s);
  EXPECT_EQ(fit.rates.host_fronts.front_flops, base.rates.host_fronts.front_flops);
  EXPECT_DOUBLE_EQ(fit.rates.ordering.amd_entry_s, base.rates.ordering.amd_entry_s / 2);
  EXPECT_EQ(fit.rates.ordering.metis_entry_s, base.rates.ordering.metis_entry_s);
  EXPECT_EQ(fit.origin.at("host_fronts.row_s"), RateOrigin::scaled);
  EXPECT_EQ(fit.origin.at("ordering.amd_entry_s"), RateOrigin::measured);
  EXPECT_FALSE(fit.origin.contains("ordering.metis_entry_s"));
}

TEST(RateFit, ChangesNothingWithoutMeasurements) {
  EXPECT_EQ(fit_rates({}, {}).sha256(), RateSet{}.sha256());
}

TEST(RateFit, LetsEveryStepChangeARate) {
  for (const std::string& step : calibrated_steps()) {
    const std::vector<RateMeasurement> twice{{step, "a", 1, 2}};
    EXPECT_NE(fit_rates({}, twice).sha256(), RateSet{}.sha256()) << step;
  }
}

TEST(Calibrate, MeasuresTheHostAndSaysWhyNotTheDevice) {
  Machine machine;
  machine.device_absent_reason = "this test has none";
  int reports = 0;
  const Calibration found =
      calibrate({.threads = 2}, machine, [&](const std::string&) { ++reports; });
  std::set<std::string> measured;
  for (const RateMeasurement& one : found.measurements) {
    EXPECT_GT(one.measured_s, 0) << one.step;
    EXPECT_GT(one.forecast_s, 0) << one.step;
    measured.insert(one.step);
  }
  EXPECT_GT(reports, 0);
  for (const char* step : {"cpu-multifrontal", "cpu-fronts", "columns", "small fronts", "amd"}) {
    EXPECT_TRUE(measured.contains(step)) << step;
  }
  for (const SkippedStep& step : found.skipped) {
    EXPECT_FALSE(measured.contains(step.step)) << step.step;
    if (step.step.starts_with("gpu-")) {
      EXPECT_NE(step.reason.find("gpu-fronts"), std::string::npos) << step.reason;
    }
  }
  EXPECT_EQ(found.rates.rates.device_fronts.row_s, Rates{}.device_fronts.row_s);
  EXPECT_NE(found.rates.sha256(), RateSet{}.sha256());
}

TEST(Calibrate, BeginsNoMatrixWhenTheTimeIsOver) {
  const Calibration found =
      calibrate({.threads = 1, .most_seconds = -1}, Machine{}, [](const std::string&) {});
  EXPECT_TRUE(found.measurements.empty());
  EXPECT_EQ(found.rates.sha256(), RateSet{}.sha256());
}

}  // namespace
}  // namespace lufact
