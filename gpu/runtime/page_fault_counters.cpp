// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/page_fault_counters.hpp"

#include <cuda_runtime_api.h>
#include <cupti.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "gpu/runtime/unified_memory_tally.hpp"

namespace lufact::gpu {
namespace {

#if CUPTI_API_VERSION >= 130000
using CounterRecord = CUpti_ActivityUnifiedMemoryCounter3;
#else
using CounterRecord = CUpti_ActivityUnifiedMemoryCounter2;  // the same, without what is not read
#endif

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t buffer_alignment = 8;

// The functions of CUPTI that are used here; null where the library is missing.
struct CuptiLibrary {
  CuptiLibrary() {
    for (const char* name : {LUFACT_CUPTI_SONAME, LUFACT_CUPTI_PATH}) {
      if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == nullptr) return;
    load(configure, "cuptiActivityConfigureUnifiedMemoryCounter");
    load(enable, "cuptiActivityEnable");
    load(disable, "cuptiActivityDisable");
    load(register_callbacks, "cuptiActivityRegisterCallbacks");
    load(flush, "cuptiActivityFlushAll");
    load(next_record, "cuptiActivityGetNextRecord");
    load(result_string, "cuptiGetResultString");
  }
  bool complete() const {
    return configure && enable && disable && register_callbacks && flush && next_record &&
           result_string;
  }

  void* handle = nullptr;  // never closed: CUPTI keeps threads
  decltype(&cuptiActivityConfigureUnifiedMemoryCounter) configure = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiGetResultString) result_string = nullptr;

 private:
  template <class Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
  }
};

const CuptiLibrary& cupti() {
  static const CuptiLibrary library;
  return library;
}

// CUPTI's callbacks carry no argument of ours.
struct SharedTally {
  std::mutex mutex;
  UnifiedMemoryTally tally;
};
SharedTally& shared() {
  static SharedTally state;
  return state;
}

std::string cause_name(std::uint32_t cause) {
  switch (cause) {
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_USER:
      return "user";
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE:
      return "coherence";
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH:
      return "prefetch";
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_EVICTION:
      return "eviction";
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_ACCESS_COUNTERS:
      return "access_counters";
    default:
      return "unknown";
  }
}

void add(UnifiedMemoryTally& tally, const CounterRecord& record) {
  switch (record.counterKind) {
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT:
      return tally.add_fault(record.value, record.start, record.end);
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD:
      return tally.add_migration(true, cause_name(record.flags), record.value);
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH:
      return tally.add_migration(false, cause_name(record.flags), record.value);
    default:
      return;
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid_bytes) {
  const std::lock_guard lock(shared().mutex);
  CUpti_Activity* record = nullptr;
  while (cupti().next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) {
      add(shared().tally, *reinterpret_cast<const CounterRecord*>(record));
    }
  }
  std::free(buffer);
}

// Counters are a device's own; records do not tell them apart.
CUptiResult configure(int devices) {
  std::vector<CUpti_ActivityUnifiedMemoryCounterConfig> counters;
  const std::array kinds{CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
                         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
                         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH};
  for (int device = 0; device < devices; ++device) {
    for (const auto kind : kinds) {
      CUpti_ActivityUnifiedMemoryCounterConfig& counter = counters.emplace_back();
      counter.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
      counter.kind = kind;
      counter.deviceId = static_cast<std::uint32_t>(device);
      counter.enable = 1;
    }
  }
  return cupti().configure(counters.data(), static_cast<std::uint32_t>(counters.size()));
}

std::string refusal(const char* call, CUptiResult status) {
  const char* text = nullptr;
  cupti().result_string(status, &text);
  return fmt::format("{} answered {} ({}); the driver may let only an administrator profile", call,
                     text == nullptr ? "an unknown error" : text, static_cast<int>(status));
}

// Empty where the counters run.
std::string start() {
  if (!cupti().complete()) {
    return fmt::format("the library " LUFACT_CUPTI_SONAME
                       " was not found; install CUPTI, or put its folder into LD_LIBRARY_PATH");
  }
  // The driver must be initialised first; without a device there is nothing to count.
  int devices = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&devices); status != cudaSuccess) {
    return fmt::format("cudaGetDeviceCount answered {} ({})", cudaGetErrorString(status),
                       static_cast<int>(status));
  }
  CUptiResult status = cupti().register_callbacks(give_buffer, take_buffer);
  if (status != CUPTI_SUCCESS) return refusal("cuptiActivityRegisterCallbacks", status);
  status = configure(devices);
  if (status != CUPTI_SUCCESS) {
    return refusal("cuptiActivityConfigureUnifiedMemoryCounter", status);
  }
  status = cupti().enable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
  if (status != CUPTI_SUCCESS) return refusal("cuptiActivityEnable", status);
  return {};
}

class CuptiPageFaultCounters final : public PageFaultCounters {
 public:
  CuptiPageFaultCounters() : refusal_(start()) {}
  ~CuptiPageFaultCounters() override {
    if (refusal_.empty()) cupti().disable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
  }
  CuptiPageFaultCounters(const CuptiPageFaultCounters&) = delete;
  CuptiPageFaultCounters& operator=(const CuptiPageFaultCounters&) = delete;

  void restart() override {
    if (!refusal_.empty()) return;
    flush();
    const std::lock_guard lock(shared().mutex);
    shared().tally = {};
  }

  UnifiedMemoryRecord read() override {
    if (refusal_.empty()) flush();
    if (!refusal_.empty()) {
      UnifiedMemoryRecord record;
      record.unavailable_reason = refusal_;
      return record;
    }
    const std::lock_guard lock(shared().mutex);
    return shared().tally.record();
  }

 private:
  void flush() {
    const CUptiResult status = cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    if (status != CUPTI_SUCCESS) refusal_ = refusal("cuptiActivityFlushAll", status);
  }

  std::string refusal_;
};

}  // namespace

std::unique_ptr<PageFaultCounters> start_page_fault_counters() {
  return std::make_unique<CuptiPageFaultCounters>();
}

}  // namespace lufact::gpu
