// SPDX-License-Identifier: BSD-3-Clause
// The device that a stage for batches prepares on.
#pragma once
#include "core/array/array_stage.hpp"
#include "core/base/error.hpp"

namespace lufact::gpu {

// Throws Error{unsupported, "no_device"} where the context has none.
inline DeviceSession& device_of(const ArrayContext& context, const ArrayStageFacts& facts) {
  if (context.device == nullptr) {
    throw Error(Outcome::unsupported, "no_device", facts.name + " runs on a device");
  }
  return *context.device;
}

}  // namespace lufact::gpu
