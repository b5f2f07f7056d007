// SPDX-License-Identifier: BSD-3-Clause
// The few facts that only NVIDIA's management library knows, read through dlopen so that a machine
// without it misses nothing else.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/machine.hpp"

namespace lufact::gpu {

struct ManagementFacts {
  std::optional<std::string> driver_version;
  DeviceClocks clocks;
  std::optional<std::string> throttle_reasons;  // "none", or names joined by ", "
  std::optional<std::uint64_t> free_bytes;
};

// `uuid` as "GPU-...". Every field is empty where the library or the device is not found.
ManagementFacts query_management(const std::string& uuid);

}  // namespace lufact::gpu
