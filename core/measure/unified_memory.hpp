// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lufact {

// What the driver counted in the repetition of --count-page-faults; all null where it refused.
struct UnifiedMemoryRecord {
  std::optional<std::uint64_t> gpu_page_fault_groups;   // sum of the records' values
  std::optional<std::uint64_t> gpu_page_fault_records;  // number of records
  std::optional<double> fault_service_s;
  std::optional<std::uint64_t> bytes_htod, bytes_dtoh;
  // By what made the driver move them: "gpu_fault", "prefetch", "eviction", ...; bytes.
  std::map<std::string, std::uint64_t> bytes_htod_by_cause, bytes_dtoh_by_cause;
  std::optional<double> symbolic_s;   // of the symbolic phase in that repetition
  std::optional<double> fault_share;  // fault_service_s / symbolic_s
  std::optional<std::string> unavailable_reason;
};

}  // namespace lufact
