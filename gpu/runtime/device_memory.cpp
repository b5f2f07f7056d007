// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/device_memory.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "core/base/error.hpp"
#include "gpu/runtime/device_heap.hpp"
#include "gpu/runtime/mapped_memory.hpp"
#include "gpu/runtime/pool_memory.hpp"

namespace lufact::gpu {
namespace {

constexpr const char* variable = "LUFACT_DEVICE_MEMORY";

bool wants_pool() {
  const char* const value = std::getenv(variable);
  const std::string_view name = value == nullptr ? "" : value;
  if (!name.empty() && name != "heap" && name != "pool") {
    throw Error(Outcome::error, "bad_device_memory",
                fmt::format("{}={} is not known; accepted: heap, pool", variable, name));
  }
  return name == "pool";
}

}  // namespace

std::unique_ptr<DeviceMemory> open_device_memory(int device, cudaStream_t stream) {
  if (wants_pool() || !MappedMemory::is_supported(device)) {
    return std::make_unique<PoolMemory>(device, stream);
  }
  return std::make_unique<DeviceHeap>(device, stream);
}

}  // namespace lufact::gpu
