// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace lufact::gpu {
namespace {

// The parts of NVML's stable C interface that are used here.
using NvmlDevice = void*;
struct NvmlMemory {
  unsigned long long total, free, used;
};
constexpr int nvml_success = 0;
constexpr unsigned nvml_clock_sm = 1, nvml_clock_memory = 2;

class NvmlLibrary {
 public:
  NvmlLibrary() : handle_(dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    const auto init = function<int()>("nvmlInit_v2");
    ready_ = init != nullptr && init() == nvml_success;
  }
  ~NvmlLibrary() {
    if (ready_) {
      const auto shutdown = function<int()>("nvmlShutdown");
      if (shutdown != nullptr) shutdown();
    }
    if (handle_ != nullptr) dlclose(handle_);
  }
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  bool ready() const noexcept { return ready_; }
  template <class Signature>
  Signature* function(const char* name) const {
    if (handle_ == nullptr) return nullptr;
    return reinterpret_cast<Signature*>(dlsym(handle_, name));
  }

 private:
  void* handle_;
  bool ready_ = false;
};

std::optional<double> read_clock(const NvmlLibrary& library, NvmlDevice device, unsigned kind) {
  const auto get = library.function<int(NvmlDevice, unsigned, unsigned*)>("nvmlDeviceGetClockInfo");
  unsigned mhz = 0;
  if (get == nullptr || get(device, kind, &mhz) != nvml_success) return std::nullopt;
  return mhz;
}

std::string name_throttle_reasons(unsigned long long mask) {
  constexpr std::array<std::pair<unsigned long long, const char*>, 9> names{{
      {0x1, "gpu_idle"},
      {0x2, "applications_clocks_setting"},
      {0x4, "sw_power_cap"},
      {0x8, "hw_slowdown"},
      {0x10, "sync_boost"},
      {0x20, "sw_thermal_slowdown"},
      {0x40, "hw_thermal_slowdown"},
      {0x80, "hw_power_brake_slowdown"},
      {0x100, "display_clock_setting"},
  }};
  std::string text;
  for (const auto& [bit, name] : names) {
    if ((mask & bit) == 0) continue;
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text.empty() ? "none" : text;
}

std::optional<std::string> read_throttle_reasons(const NvmlLibrary& library, NvmlDevice device) {
  using Getter = int(NvmlDevice, unsigned long long*);
  auto get = library.function<Getter>("nvmlDeviceGetCurrentClocksEventReasons");
  if (get == nullptr) {  // its name before driver 535
    get = library.function<Getter>("nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  unsigned long long mask = 0;
  if (get == nullptr || get(device, &mask) != nvml_success) return std::nullopt;
  return name_throttle_reasons(mask);
}

}  // namespace

ManagementFacts query_management(const std::string& uuid) {
  ManagementFacts facts;
  const NvmlLibrary library;
  if (!library.ready()) return facts;
  std::array<char, 96> version{};
  const auto get_version = library.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  if (get_version != nullptr &&
      get_version(version.data(), static_cast<unsigned>(version.size())) == nvml_success) {
    facts.driver_version = version.data();
  }
  NvmlDevice device = nullptr;
  const auto find = library.function<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByUUID");
  if (find == nullptr || find(uuid.c_str(), &device) != nvml_success) return facts;
  facts.clocks = {read_clock(library, device, nvml_clock_sm),
                  read_clock(library, device, nvml_clock_memory)};
  facts.throttle_reasons = read_throttle_reasons(library, device);
  NvmlMemory memory{};
  const auto get_memory = library.function<int(NvmlDevice, NvmlMemory*)>("nvmlDeviceGetMemoryInfo");
  if (get_memory != nullptr && get_memory(device, &memory) == nvml_success) {
    facts.free_bytes = memory.free;
  }
  return facts;
}

}  // namespace lufact::gpu
