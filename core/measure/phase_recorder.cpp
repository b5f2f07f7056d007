// SPDX-License-Identifier: BSD-3-Clause
#include "core/measure/phase_recorder.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/measure/phase_board.hpp"

namespace lufact {
namespace {

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

PhaseRecorder::PhaseRecorder(const Clock& clock, DeviceProbe* probe)
    : clock_(clock), probe_(probe) {}

PhaseRecorder::Scope::Scope(PhaseRecorder& recorder, std::string_view name, bool on_device)
    : recorder_(recorder) {
  recorder_.open(name, on_device);
}

PhaseRecorder::Scope::~Scope() {
  recorder_.close();
}

void PhaseRecorder::open(std::string_view name, bool on_device) {
  Open phase;
  phase.path = stack_.empty() ? std::string(name) : stack_.back().path + "/" + std::string(name);
  phase.exceptions = std::uncaught_exceptions();
  phase.on_device = on_device && (stack_.empty() || stack_.back().on_device);
  // The entry is made now, so that a parent comes before its children.
  entry(phase.path);
  show_phase(phase.path);
  if (probe_ != nullptr) {
    fold_peak();
    if (stack_.empty()) probe_->synchronize();
    probe_->range_push(phase.path);
    if (phase.on_device) phase.mark = probe_->mark();
    phase.counters = probe_->counters();
  }
  phase.begin = clock_.now();
  stack_.push_back(std::move(phase));
}

// Adds the peak since the last call to every open phase and starts a new interval.
void PhaseRecorder::fold_peak() {
  const std::uint64_t peak = probe_->interval_peak_bytes();
  for (Open& phase : stack_) phase.peak = std::max(phase.peak, peak);
  probe_->reset_interval_peak();
}

void PhaseRecorder::close() noexcept {
  const bool failed = std::uncaught_exceptions() > stack_.back().exceptions;
  if (failed && failed_phase_.empty()) failed_phase_ = stack_.back().path;
  try {
    // What measures is not part of what is measured: a mark of a top-level phase comes when the
    // device is done and the clock has been read.
    if (probe_ != nullptr && stack_.size() == 1) probe_->synchronize();
    const auto end = clock_.now();
    DeviceProbe::Mark end_mark = 0;
    if (probe_ != nullptr) {
      if (stack_.back().on_device) end_mark = probe_->mark();
      fold_peak();
      probe_->range_pop();
    }
    const Open& phase = stack_.back();
    Closed& closed = entry(phase.path);
    closed.time.wall_s += seconds(end - phase.begin);
    if (probe_ != nullptr) {
      const TransferCounters now = probe_->counters();
      closed.time.bytes_h2d += now.bytes_h2d - phase.counters.bytes_h2d;
      closed.time.bytes_d2h += now.bytes_d2h - phase.counters.bytes_d2h;
      closed.time.control_reads += now.control_reads - phase.counters.control_reads;
      closed.time.peak_device_bytes =
          std::max(closed.time.peak_device_bytes.value_or(0), phase.peak);
      if (phase.on_device) closed.marks.emplace_back(phase.mark, end_mark);
    }
  } catch (const std::exception&) {
    // A device that failed mid-phase cannot be measured; the exception that ended the phase tells.
    if (failed_phase_.empty()) failed_phase_ = stack_.back().path;
  }
  stack_.pop_back();
  show_phase(stack_.empty() ? std::string_view() : stack_.back().path);
}

PhaseRecorder::Closed& PhaseRecorder::entry(const std::string& path) {
  const auto found = std::find_if(closed_.begin(), closed_.end(),
                                  [&](const Closed& c) { return c.time.name == path; });
  if (found != closed_.end()) return *found;
  closed_.push_back({});
  closed_.back().time.name = path;
  return closed_.back();
}

std::vector<PhaseTime> PhaseRecorder::take() {
  if (probe_ != nullptr && !closed_.empty()) probe_->synchronize();  // the last marks are reached
  std::vector<PhaseTime> times;
  for (Closed& closed : closed_) {
    const bool nested = closed.time.name.find('/') != std::string::npos;
    if (!closed.marks.empty()) {
      double gpu = 0;
      for (const auto& [begin, end] : closed.marks) gpu += probe_->seconds_between(begin, end);
      closed.time.gpu_s = gpu;
      // Inside a phase the host runs ahead of the device: the marks are the time that passed.
      if (nested) closed.time.wall_s = gpu;
    }
    times.push_back(std::move(closed.time));
  }
  closed_.clear();
  failed_phase_.clear();
  if (probe_ != nullptr) probe_->release_marks();
  return times;
}

std::string PhaseRecorder::current_phase() const {
  return stack_.empty() ? failed_phase_ : stack_.back().path;
}

}  // namespace lufact
