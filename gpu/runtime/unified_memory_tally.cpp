// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/unified_memory_tally.hpp"

#include <algorithm>

namespace lufact::gpu {
namespace {

std::uint64_t sum(const std::map<std::string, std::uint64_t>& bytes_by_cause) {
  std::uint64_t total = 0;
  for (const auto& [cause, bytes] : bytes_by_cause) total += bytes;
  return total;
}

}  // namespace

void UnifiedMemoryTally::add_fault(std::uint64_t groups, std::uint64_t begin_ns,
                                   std::uint64_t end_ns) {
  groups_ += groups;
  served_.emplace_back(begin_ns, std::max(begin_ns, end_ns));
}

void UnifiedMemoryTally::add_migration(bool to_device, const std::string& cause,
                                       std::uint64_t bytes) {
  (to_device ? to_device_ : to_host_)[cause] += bytes;
}

double UnifiedMemoryTally::service_seconds() const {
  auto intervals = served_;
  std::sort(intervals.begin(), intervals.end());
  std::uint64_t total = 0, covered_to = 0;
  for (const auto& [begin, end] : intervals) {
    const std::uint64_t from = std::max(begin, covered_to);
    if (end > from) total += end - from;
    covered_to = std::max(covered_to, end);
  }
  return static_cast<double>(total) * 1e-9;
}

UnifiedMemoryRecord UnifiedMemoryTally::record() const {
  UnifiedMemoryRecord record;
  record.gpu_page_fault_groups = groups_;
  record.gpu_page_fault_records = served_.size();
  record.fault_service_s = service_seconds();
  record.bytes_htod = sum(to_device_);
  record.bytes_dtoh = sum(to_host_);
  record.bytes_htod_by_cause = to_device_;
  record.bytes_dtoh_by_cause = to_host_;
  return record;
}

}  // namespace lufact::gpu
