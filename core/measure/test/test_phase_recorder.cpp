// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/measure/phase_recorder.hpp"

namespace lufact {
namespace {

using namespace std::chrono_literals;

class FakeClock final : public Clock {
 public:
  std::chrono::nanoseconds now() const override { return time; }
  std::chrono::nanoseconds time{0};
};

// A device on which time passes as on the fake clock and marks are clock readings.
class FakeProbe final : public DeviceProbe {
 public:
  explicit FakeProbe(const FakeClock& clock) : clock_(clock) {}
  void synchronize() override { ++synchronizations; }
  Mark mark() override {
    marks_.push_back(clock_.time);
    return static_cast<Mark>(marks_.size()) - 1;
  }
  double seconds_between(Mark begin, Mark end) override {
    return std::chrono::duration<double>(marks_.at(static_cast<std::size_t>(end)) -
                                         marks_.at(static_cast<std::size_t>(begin)))
        .count();
  }
  void release_marks() override { marks_.clear(); }
  TransferCounters counters() const override { return transfers; }
  void reset_interval_peak() override { peak_ = in_use_; }
  std::uint64_t interval_peak_bytes() const override { return peak_; }
  void range_push(std::string_view) override { ++depth; }
  void range_pop() override { --depth; }
  void use(std::uint64_t bytes) {
    in_use_ = bytes;
    peak_ = std::max(peak_, bytes);
  }
  TransferCounters transfers;
  int synchronizations = 0, depth = 0;

 private:
  const FakeClock& clock_;
  std::vector<std::chrono::nanoseconds> marks_;
  std::uint64_t in_use_ = 0, peak_ = 0;
};

TEST(PhaseRecorder, NestsByPathAndKeepsTheOrderOfOpening) {
  FakeClock clock;
  PhaseRecorder recorder(clock);
  {
    const auto outer = recorder.scope("symbolic");
    clock.time += 1ms;
    {
      const auto inner = recorder.scope("count");
      clock.time += 2ms;
      EXPECT_EQ(recorder.current_phase(), "symbolic/count");
    }
  }
  const auto phases = recorder.take();
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].name, "symbolic");
  EXPECT_DOUBLE_EQ(phases[0].wall_s, 0.003);
  EXPECT_EQ(phases[1].name, "symbolic/count");
  EXPECT_DOUBLE_EQ(phases[1].wall_s, 0.002);
  EXPECT_FALSE(phases[0].gpu_s.has_value());
  EXPECT_TRUE(recorder.take().empty());
}

TEST(PhaseRecorder, AddsPhasesOfOneName) {
  FakeClock clock;
  PhaseRecorder recorder(clock);
  for (int k = 0; k < 2; ++k) {
    const auto phase = recorder.scope("transfer");
    clock.time += 4ms;
  }
  const auto phases = recorder.take();
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_DOUBLE_EQ(phases[0].wall_s, 0.008);
}

TEST(PhaseRecorder, SynchronisesTopLevelPhasesOnlyAndCountsTransfers) {
  FakeClock clock;
  FakeProbe probe(clock);
  PhaseRecorder recorder(clock, &probe);
  {
    const auto outer = recorder.scope("numeric");
    probe.use(100);
    {
      const auto inner = recorder.scope("transpose");
      probe.use(300);
      probe.transfers.bytes_h2d += 8;
      clock.time += 5ms;
      probe.use(50);
    }
    probe.transfers.control_reads += 1;
  }
  EXPECT_EQ(probe.synchronizations, 2);
  EXPECT_EQ(probe.depth, 0);
  const auto phases = recorder.take();
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].peak_device_bytes, 300u);
  EXPECT_EQ(phases[0].bytes_h2d, 8u);
  EXPECT_EQ(phases[0].control_reads, 1u);
  EXPECT_EQ(phases[1].peak_device_bytes, 300u);
  EXPECT_EQ(phases[1].control_reads, 0u);
  EXPECT_DOUBLE_EQ(phases[1].gpu_s.value(), 0.005);
}

TEST(PhaseRecorder, TimesHostPhasesByTheClockAlone) {
  FakeClock clock;
  FakeProbe probe(clock);
  PhaseRecorder recorder(clock, &probe);
  {
    const auto outer = recorder.host_scope("order");
    const auto inner = recorder.scope("permute");
    clock.time += 2ms;
  }
  const auto phases = recorder.take();
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_FALSE(phases[0].gpu_s.has_value());
  EXPECT_FALSE(phases[1].gpu_s.has_value());
  EXPECT_DOUBLE_EQ(phases[1].wall_s, 0.002);
}

TEST(PhaseRecorder, RemembersWhereAnExceptionLeft) {
  FakeClock clock;
  PhaseRecorder recorder(clock);
  EXPECT_THROW(
      {
        const auto outer = recorder.scope("symbolic");
        const auto inner = recorder.scope("positions");
        throw std::runtime_error("no memory");
      },
      std::runtime_error);
  EXPECT_EQ(recorder.current_phase(), "symbolic/positions");
  recorder.take();
  EXPECT_EQ(recorder.current_phase(), "");
}

}  // namespace
}  // namespace lufact
