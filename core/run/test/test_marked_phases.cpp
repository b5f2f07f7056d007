// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/run/marked_phases.hpp"
#include "core/run/repetition.hpp"

namespace lufact {
namespace {

// A device on which a millisecond passes from one mark to the next, and bytes with each.
class CountingProbe final : public DeviceProbe {
 public:
  void synchronize() override { ++waits; }
  Mark mark() override { return marks++; }
  double seconds_between(Mark begin, Mark end) override { return 1e-3 * (end - begin); }
  void release_marks() override { marks = 0; }
  TransferCounters counters() const override {
    return {100 * static_cast<std::uint64_t>(marks), 0, 0};
  }
  void reset_interval_peak() override { peak = 0; }
  std::uint64_t interval_peak_bytes() const override { return peak; }
  void range_push(std::string_view) override { ++open_ranges; }
  void range_pop() override { --open_ranges; }

  int marks = 0, waits = 0, open_ranges = 0;
  std::uint64_t peak = 0;
};

TEST(MarkedPhases, ShareTheMarkBetweenThemAndNeverWait) {
  CountingProbe probe;
  MarkedPhases phases(probe);
  phases.begin("transfer");
  phases.begin("numeric");
  probe.peak = 7;
  EXPECT_EQ(phases.open_phase(), "numeric");
  phases.begin("transfer");
  phases.end();
  EXPECT_EQ(phases.open_phase(), "");
  EXPECT_EQ(probe.marks, 4);
  EXPECT_EQ(probe.waits, 0);
  EXPECT_EQ(probe.open_ranges, 0);
  const std::vector<PhaseTime> times = phases.times();
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].name, "transfer");
  EXPECT_DOUBLE_EQ(times[0].wall_s, 2e-3);
  EXPECT_DOUBLE_EQ(times[0].gpu_s.value(), 2e-3);
  EXPECT_EQ(times[0].bytes_h2d, 200u);
  EXPECT_EQ(times[1].name, "numeric");
  EXPECT_DOUBLE_EQ(times[1].wall_s, 1e-3);
  EXPECT_EQ(times[1].peak_device_bytes, 7u);
}

PhaseTime phase(const char* name, double seconds, std::optional<double> gpu_s = {}) {
  PhaseTime made;
  made.name = name;
  made.wall_s = seconds;
  made.gpu_s = gpu_s;
  return made;
}

TEST(MarkedPhases, TakeUpWhatFollowsThem) {
  std::vector<PhaseTime> phases{phase("solve", 1, 1)};
  phases[0].bytes_h2d = 3;
  PhaseTime more = phase("solve", 2);
  more.control_reads = 1;
  add_phases(phases, {more, phase("verify", 5)});
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].wall_s, 3);
  EXPECT_EQ(phases[0].gpu_s, 1);
  EXPECT_EQ(phases[0].bytes_h2d, 3u);
  EXPECT_EQ(phases[0].control_reads, 1u);
  EXPECT_EQ(phases[1].name, "verify");
}

TEST(MarkedPhases, AreWithinATotalOfTheHostsClock) {
  constexpr std::string_view counted[] = {"numeric", "solve"};
  const Sample sample =
      make_sample_of_marks(3, {phase("numeric", 2), phase("solve", 1)}, 3.5, counted);
  EXPECT_EQ(sample.repetition, 3);
  EXPECT_EQ(sample.total_s, 3.5);
  EXPECT_EQ(sample.unattributed_s, 0.5);
}

}  // namespace
}  // namespace lufact
