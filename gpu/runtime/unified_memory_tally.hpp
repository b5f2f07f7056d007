// SPDX-License-Identifier: BSD-3-Clause
// Sums over a stream of unified-memory events; no CUDA, so that it can be tested anywhere.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/measure/unified_memory.hpp"

namespace lufact::gpu {

class UnifiedMemoryTally {
 public:
  // A record of GPU page faults: `groups` fault groups of one page, served from `begin_ns` until
  // the faulting accesses were replayed.
  void add_fault(std::uint64_t groups, std::uint64_t begin_ns, std::uint64_t end_ns);
  // Bytes moved to or from the device, and the cause that the driver gives.
  void add_migration(bool to_device, const std::string& cause, std::uint64_t bytes);

  // Faults of several pages are served side by side: the service time is the length of the union of
  // their intervals, not the sum.
  UnifiedMemoryRecord record() const;

 private:
  double service_seconds() const;

  std::uint64_t groups_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> served_;  // ns
  std::map<std::string, std::uint64_t> to_device_, to_host_;
};

}  // namespace lufact::gpu
