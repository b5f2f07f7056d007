// SPDX-License-Identifier: BSD-3-Clause
// The fields of what a run says of memory.
#pragma once
#include "core/pipeline/record.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {

void visit_fields(auto&& field, Is<MemoryRecord> auto& memory) {
  field("budget_bytes", memory.budget_bytes);
  field("device_peak_bytes", memory.device_peak_bytes);
  field("resident_bytes", memory.resident_bytes);
  field("scratch_peak_bytes", memory.scratch_peak_bytes);
  field("managed_peak_bytes", memory.managed_peak_bytes);
  field("pinned_peak_bytes", memory.pinned_peak_bytes);
  field("host_peak_bytes", memory.host_peak_bytes);
  field("chunks", memory.chunks);
  field("chunk_sizes", memory.chunk_sizes);
  field("bytes_per_source", memory.bytes_per_source);
  field("factors_host_bytes", memory.factors_host_bytes, added_later);
  field("factors_parts", memory.factors_parts, added_later);
  field("driver", memory.driver, added_later);
}

void visit_fields(auto&& field, Is<DriverMemoryRecord> auto& driver) {
  field("method", driver.method);
  field("opened_bytes", driver.opened_bytes);
  field("baseline_bytes", driver.baseline_bytes);
  field("peak_bytes", driver.peak_bytes);
  field("peak_over_baseline_bytes", driver.peak_over_baseline_bytes);
  field("held_over_baseline_bytes", driver.held_over_baseline_bytes);
  field("readings", driver.readings);
  field("other_processes", driver.other_processes);
  field("over_baseline_by_phase", driver.over_baseline_by_phase);
  field("held_at_peak", driver.held_at_peak);
  field("unavailable_reason", driver.unavailable_reason);
}

void visit_fields(auto&& field, Is<UnifiedMemoryRecord> auto& unified) {
  field("gpu_page_fault_groups", unified.gpu_page_fault_groups);
  field("gpu_page_fault_records", unified.gpu_page_fault_records);
  field("fault_service_s", unified.fault_service_s);
  field("bytes_htod", unified.bytes_htod);
  field("bytes_dtoh", unified.bytes_dtoh);
  field("bytes_htod_by_cause", unified.bytes_htod_by_cause);
  field("bytes_dtoh_by_cause", unified.bytes_dtoh_by_cause);
  field("symbolic_s", unified.symbolic_s);
  field("fault_share", unified.fault_share);
  field("unavailable_reason", unified.unavailable_reason);
}

}  // namespace lufact
