// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/record.hpp"
#include "gpu/gpu.hpp"

namespace lufact {

// What a session of a device has held at most, and what it may hold.
void add_device_memory(const DeviceSession& session, MemoryRecord& memory);

}  // namespace lufact
