// SPDX-License-Identifier: BSD-3-Clause
#include "core/run/marked_phases.hpp"

#include <algorithm>
#include <utility>

namespace lufact {
namespace {

TransferCounters difference(const TransferCounters& now, const TransferCounters& before) {
  return {now.bytes_h2d - before.bytes_h2d, now.bytes_d2h - before.bytes_d2h,
          now.control_reads - before.control_reads};
}

// Of two phases in a row: seconds add up, the larger peak stays.
template <class T, class Join>
std::optional<T> joined(const std::optional<T>& a, const std::optional<T>& b, const Join& join) {
  if (!a || !b) return a ? a : b;
  return join(*a, *b);
}

}  // namespace

void MarkedPhases::begin(std::string_view name) {
  const DeviceProbe::Mark mark = probe_.mark();
  close(mark);
  open_ = name;
  probe_.range_push(name);
  probe_.reset_interval_peak();
  phases_.push_back({std::string(name), mark, mark, probe_.counters(), 0});
}

void MarkedPhases::end() {
  close(probe_.mark());
}

void MarkedPhases::close(DeviceProbe::Mark mark) {
  if (open_.empty()) return;
  Phase& phase = phases_.back();
  phase.end = mark;
  phase.moved = difference(probe_.counters(), phase.moved);
  phase.peak = probe_.interval_peak_bytes();
  probe_.range_pop();
  open_.clear();
}

std::vector<PhaseTime> MarkedPhases::times() const {
  std::vector<PhaseTime> times;
  for (const Phase& phase : phases_) {
    const double seconds = probe_.seconds_between(phase.begin, phase.end);
    add_phases(times, {{.name = phase.name,
                        .wall_s = seconds,
                        .gpu_s = seconds,
                        .bytes_h2d = phase.moved.bytes_h2d,
                        .bytes_d2h = phase.moved.bytes_d2h,
                        .control_reads = phase.moved.control_reads,
                        .peak_device_bytes = phase.peak}});
  }
  return times;
}

void add_phases(std::vector<PhaseTime>& to, std::vector<PhaseTime> more) {
  for (PhaseTime& phase : more) {
    const auto found = std::ranges::find(to, phase.name, &PhaseTime::name);
    if (found == to.end()) {
      to.push_back(std::move(phase));
      continue;
    }
    found->wall_s += phase.wall_s;
    found->gpu_s = joined(found->gpu_s, phase.gpu_s, [](double a, double b) { return a + b; });
    found->bytes_h2d += phase.bytes_h2d;
    found->bytes_d2h += phase.bytes_d2h;
    found->control_reads += phase.control_reads;
    found->peak_device_bytes =
        joined(found->peak_device_bytes, phase.peak_device_bytes,
               [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  }
}

}  // namespace lufact
