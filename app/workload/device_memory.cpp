// SPDX-License-Identifier: BSD-3-Clause
#include "app/workload/device_memory.hpp"

namespace lufact {

void add_device_memory(const DeviceSession& session, MemoryRecord& memory) {
  const DeviceMemoryReport report = gpu::memory_report(session);
  memory.budget_bytes = report.budget_bytes;
  memory.device_peak_bytes = report.peak_bytes;
  memory.resident_bytes = report.resident_peak_bytes;
  memory.scratch_peak_bytes = report.scratch_peak_bytes;
  memory.managed_peak_bytes = report.managed_peak_bytes;
  memory.pinned_peak_bytes = report.pinned_peak_bytes;
}

}  // namespace lufact
