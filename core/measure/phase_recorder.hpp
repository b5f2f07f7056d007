// SPDX-License-Identifier: BSD-3-Clause
// Phases are scope objects: top-level phases synchronise the device, read the clock, do the work,
// synchronise, read the clock; a device mark comes before the first and after the last reading, so
// that gpu_s has what setting marks takes and wall_s has not. Sub-phases use device marks only, so
// that measuring does not serialise the work between them. A host phase, and what is inside it, is
// timed by the clock alone. Phases of one level are disjoint; a name that occurs again adds to its
// first entry.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/clock.hpp"
#include "core/measure/device_probe.hpp"

namespace lufact {

struct PhaseTime {
  std::string name;  // "symbolic", "symbolic/count"
  double wall_s = 0;
  std::optional<double> gpu_s;  // between the first and the last mark; empty without a device
  std::uint64_t bytes_h2d = 0, bytes_d2h = 0, control_reads = 0;
  std::optional<std::uint64_t> peak_device_bytes;
};

class PhaseRecorder {
 public:
  // `probe` may be null: a run without a device. Both must outlive the recorder.
  explicit PhaseRecorder(const Clock& clock, DeviceProbe* probe = nullptr);

  class [[nodiscard]] Scope {
   public:
    Scope(PhaseRecorder& recorder, std::string_view name, bool on_device);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PhaseRecorder& recorder_;
  };
  // Opens a phase; inside another scope its name becomes "outer/name".
  Scope scope(std::string_view name) { return Scope(*this, name, true); }
  // A phase that does not use the device: its gpu_s stays empty.
  Scope host_scope(std::string_view name) { return Scope(*this, name, false); }

  // The phases closed so far, in the order of their first occurrence; starts afresh.
  std::vector<PhaseTime> take();
  // Path of the innermost phase that is open, or of the one in which an exception left (until
  // take()); empty otherwise. Tells where a failure happened.
  std::string current_phase() const;

 private:
  struct Open {
    std::string path;
    std::chrono::nanoseconds begin;
    DeviceProbe::Mark mark = 0;
    TransferCounters counters;
    std::uint64_t peak = 0;
    int exceptions = 0;
    bool on_device = true;
  };
  struct Closed {
    PhaseTime time;
    std::vector<std::pair<DeviceProbe::Mark, DeviceProbe::Mark>> marks;
  };
  void open(std::string_view name, bool on_device);
  void close() noexcept;
  void fold_peak();
  Closed& entry(const std::string& path);

  const Clock& clock_;
  DeviceProbe* probe_;
  std::vector<Open> stack_;
  std::vector<Closed> closed_;
  std::string failed_phase_;
};

}  // namespace lufact
