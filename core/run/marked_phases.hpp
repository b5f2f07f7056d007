// SPDX-License-Identifier: BSD-3-Clause
// Phases of work that a device does without the host waiting between them: told apart by marks on
// the device's stream alone, one where a phase ends and the next begins.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/phase_recorder.hpp"

namespace lufact {

class MarkedPhases {
 public:
  // `probe` must outlive it.
  explicit MarkedPhases(DeviceProbe& probe) : probe_(probe) {}

  // Ends the phase before, if there is one.
  void begin(std::string_view name);
  void end();
  // Of the phase that is open; empty otherwise.
  const std::string& open_phase() const noexcept { return open_; }

  // To be called once the device is idle, before marks are released. wall_s and gpu_s are the time
  // between a phase's marks; phases of one name are added up.
  std::vector<PhaseTime> times() const;

 private:
  struct Phase {
    std::string name;
    DeviceProbe::Mark begin = 0, end = 0;
    TransferCounters moved;
    std::uint64_t peak = 0;
  };
  void close(DeviceProbe::Mark mark);

  DeviceProbe& probe_;
  std::string open_;
  std::vector<Phase> phases_;  // the last one may be open
};

// Adds the times of phases that follow; those of one name become one.
void add_phases(std::vector<PhaseTime>& to, std::vector<PhaseTime> more);

}  // namespace lufact
