// SPDX-License-Identifier: BSD-3-Clause
// Facts about a device and its memory for code outside gpu/: plain C++, no CUDA header, nothing of
// the pipeline.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/machine.hpp"
#include "core/measure/unified_memory.hpp"

namespace lufact {

// Peaks are since the session was opened or reset_memory_peaks() was last called.
struct DeviceMemoryReport {
  std::optional<std::uint64_t> budget_bytes;  // --device-memory-limit, or the free bytes at opening
  std::uint64_t in_use_bytes = 0;
  std::uint64_t peak_bytes = 0;           // device allocations of every role
  std::uint64_t resident_peak_bytes = 0;  // role resident
  std::uint64_t scratch_peak_bytes = 0;   // role scratch
  std::uint64_t managed_peak_bytes = 0;
  std::uint64_t pinned_peak_bytes = 0;
};

namespace gpu {

struct SessionOptions {
  int device = 0;
  std::optional<std::uint64_t> memory_limit;         // none: what the card has free
  std::optional<std::uint64_t> host_memory_limit{};  // of page-locked memory; none: no limit
};

// Facts of device `index`, or empty with the reason and what to do. Creates no context beyond what
// the query needs; safe without a driver.
std::optional<DeviceFacts> query_device(int index, std::string& absent_reason);

// Devices that the driver shows to this process; 0 where there is no driver.
int device_count();

// Of every pair of different devices.
std::vector<DeviceLink> query_links();

// The driver's counters of unified-memory page faults and migrations, since the object was made.
// Where the driver or the library refuses, read() gives the reason.
class PageFaultCounters {
 public:
  virtual ~PageFaultCounters() = default;
  virtual void restart() = 0;  // forget what was counted
  virtual UnifiedMemoryRecord read() = 0;
};
// To be called before open_session().
std::unique_ptr<PageFaultCounters> count_page_faults();

// Page-locked host memory of `bytes` >= 1 bytes for arrays that go to the device and back, through
// a session or another library of this process; freed with its last owner. Null where the system
// has none. Takes up to a millisecond per MB: not to be timed.
std::shared_ptr<void> page_locked_memory(int device, std::size_t bytes);

}  // namespace gpu
}  // namespace lufact
