// SPDX-License-Identifier: BSD-3-Clause
// Compiled where CUPTI's header was not found.
#include "gpu/runtime/page_fault_counters.hpp"

namespace lufact::gpu {
namespace {

class AbsentPageFaultCounters final : public PageFaultCounters {
 public:
  void restart() override {}
  UnifiedMemoryRecord read() override {
    UnifiedMemoryRecord record;
    record.unavailable_reason =
        "lufact was built without CUPTI: cupti.h was not found; install the CUDA toolkit's CUPTI "
        "and configure again";
    return record;
  }
};

}  // namespace

std::unique_ptr<PageFaultCounters> start_page_fault_counters() {
  return std::make_unique<AbsentPageFaultCounters>();
}

}  // namespace lufact::gpu
