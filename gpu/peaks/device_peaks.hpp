// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/rates/peaks.hpp"
#include "gpu/runtime/session_facts.hpp"

namespace lufact {

class DeviceSession;

namespace gpu {

struct DevicePeakSettings {
  std::uint64_t copied_bytes = std::uint64_t{1} << 30;  // at most a quarter of what is free
  int rounds = 5;                                       // of which the best counts
};

// Copies of one array to another, and multiply-adds in registers of all multiprocessors: doubles
// by the arithmetic units and, where the card has them, by the tensor cores, whichever is quicker.
// Takes about a second; measured_at stays empty. Throws Error where the session is out of memory.
DevicePeaks measure_device_peaks(DeviceSession& session, const DevicePeakSettings& settings);

}  // namespace gpu
}  // namespace lufact
