// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>

#include "core/report/measurement_quality.hpp"

namespace lufact {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A run on 4 processors with these totals in milliseconds.
RunRecord run_with(std::initializer_list<double> totals, const HostUse& each) {
  RunRecord run;
  run.host_state.emplace().processors = 4;
  run.sampling.emplace().repetitions = static_cast<int>(totals.size());
  for (const double total_ms : totals) {
    Sample& sample = run.samples.emplace_back();
    sample.repetition = static_cast<int>(run.samples.size()) - 1;
    sample.total_s = 1e-3 * total_ms;
    sample.host = each;
  }
  set_quality_figures(run);
  add_quality_warnings(run);
  return run;
}

std::vector<std::string> codes_of(const RunRecord& run) {
  std::vector<std::string> codes;
  for (const Warning& warning : run.warnings) codes.push_back(warning.code);
  return codes;
}

HostUse quiet() {
  return {.elapsed_s = 0.25,
          .own_s = 0.75,
          .foreign_s = 0.025,
          .stolen_s = 0,
          .waited_s = 0.0025,
          .throttled_s = 0,
          .involuntary_switches = 2};
}

TEST(MeasurementQuality, OfAQuietHostHasFiguresAndNoWarning) {
  const RunRecord run = run_with({10, 10.2, 10.1, 9.9, 10}, quiet());
  EXPECT_THAT(run.warnings, IsEmpty());
  EXPECT_NEAR(run.host_state->foreign_processors.value(), 0.1, 1e-12);
  EXPECT_NEAR(run.host_state->waited_share.value(), 0.0125 / 3.7625, 1e-12);
  EXPECT_EQ(run.host_state->stolen_share, 0);
  EXPECT_EQ(run.host_state->involuntary_switches, 10);
  EXPECT_NEAR(run.sampling->spread_percent.value(), 1, 1e-9);
}

TEST(MeasurementQuality, WarnsOfOneForeignBusyProcess) {
  HostUse use = quiet();
  use.foreign_s = 0.25;
  const RunRecord run = run_with({10, 10, 10, 10, 10}, use);
  ASSERT_THAT(codes_of(run), ElementsAre("host_busy"));
  EXPECT_THAT(run.warnings[0].message, HasSubstr("others kept 1.0 of its processors busy"));
}

TEST(MeasurementQuality, DoesNotTellForeignTimeOfShortMeasurements) {
  HostUse use = quiet();
  use.elapsed_s = 0.01;
  use.own_s = 0.03;
  use.foreign_s = use.stolen_s = 0.01;  // one tick
  use.waited_s = 0;
  EXPECT_THAT(codes_of(run_with({10, 10, 10, 10, 10}, use)), IsEmpty());
  use.waited_s = 0.01;  // in nanoseconds
  EXPECT_THAT(codes_of(run_with({10, 10, 10, 10, 10}, use)), ElementsAre("host_busy"));
}

TEST(MeasurementQuality, WarnsOfProcessesThatAreSeenBesideShortMeasurements) {
  HostUse use = quiet();
  use.elapsed_s = 0.01;
  RunRecord run = run_with({10, 10, 10, 10, 10}, use);
  ASSERT_THAT(codes_of(run), IsEmpty());
  run.host_state->other_processors = 0.9;
  run.host_state->watched_s = 0.1;
  add_quality_warnings(run);
  EXPECT_THAT(codes_of(run), IsEmpty()) << "watched too short a time";
  run.host_state->watched_s = 1;
  add_quality_warnings(run);
  ASSERT_THAT(codes_of(run), ElementsAre("host_busy"));
  EXPECT_THAT(run.warnings[0].message,
              HasSubstr("processes that may run on its processors kept 0.9"));
}

TEST(MeasurementQuality, TellsProcessesOnOtherProcessorsFromABusyHost) {
  RunRecord run = run_with({10, 10, 10, 10, 10}, quiet());
  run.host_state->other_processors = 0.1;
  run.host_state->other_processors_elsewhere = 15.9;
  run.host_state->watched_s = 0.1;
  add_quality_warnings(run);
  EXPECT_THAT(codes_of(run), IsEmpty()) << "watched too short a time";
  run.host_state->watched_s = 1;
  add_quality_warnings(run);
  ASSERT_THAT(codes_of(run), ElementsAre("host_shared"));
  EXPECT_THAT(run.warnings[0].message, HasSubstr("kept 15.9 processors busy that it may not use"));
}

TEST(MeasurementQuality, LeavesLessThanAProcessorElsewhereToItsFigure) {
  RunRecord run = run_with({10, 10, 10, 10, 10}, quiet());
  run.host_state->watched_s = 1;
  run.host_state->other_processors_elsewhere = 0.9;
  add_quality_warnings(run);
  run.host_state->other_processors_elsewhere = std::nullopt;  // a record of an earlier program
  add_quality_warnings(run);
  EXPECT_THAT(codes_of(run), IsEmpty());
}

TEST(MeasurementQuality, WarnsOfStolenAndThrottledTime) {
  HostUse use = quiet();
  use.stolen_s = 0.05;  // 5% of 4 processors
  EXPECT_THAT(run_with({10, 10, 10, 10, 10}, use).warnings.at(0).message,
              HasSubstr("the hypervisor took 5%"));
  use = quiet();
  use.throttled_s = 0.075;
  EXPECT_THAT(run_with({10, 10, 10, 10, 10}, use).warnings.at(0).message,
              HasSubstr("stopped it for 30%"));
}

TEST(MeasurementQuality, WarnsOfScatterAndNamesOutliers) {
  EXPECT_THAT(codes_of(run_with({10, 12, 14, 11, 13}, quiet())), ElementsAre("noisy"));
  const RunRecord run = run_with({10, 10, 67, 10, 10.1}, quiet());
  ASSERT_THAT(codes_of(run), ElementsAre("outliers"));
  EXPECT_THAT(run.warnings[0].message,
              HasSubstr("1 of 5 repetitions (number 2) took up to 6.7 times the median"));
}

TEST(MeasurementQuality, LooksAtRefactorizationsToo) {
  RunRecord run = run_with({10, 10, 10, 10, 10}, quiet());
  for (const double total_s : {1.0, 1.0, 1.0, 1.0, 2.0}) {
    run.refactor_samples.emplace_back().total_s = total_s;
  }
  add_quality_warnings(run);
  ASSERT_THAT(codes_of(run), ElementsAre("outliers"));
  EXPECT_THAT(run.warnings[0].message, HasSubstr("refactorizations"));
}

TEST(MeasurementQuality, OfARunWithoutSamplesIsNotKnown) {
  const RunRecord run = run_with({}, quiet());
  EXPECT_THAT(run.warnings, IsEmpty());
  EXPECT_FALSE(run.host_state->foreign_processors || run.sampling->noise_percent);
  RunRecord failed;
  set_quality_figures(failed);
  add_quality_warnings(failed);
  EXPECT_FALSE(failed.host_state || failed.sampling);
}

}  // namespace
}  // namespace lufact
