// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/nvml.hpp"

#include <array>
#include <utility>

#include "gpu/runtime/nvml_library.hpp"

namespace lufact::gpu {
namespace {

constexpr unsigned nvml_clock_sm = 1, nvml_clock_memory = 2;

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
  const NvmlDevice device = library.find(uuid);
  if (device == nullptr) return facts;
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
