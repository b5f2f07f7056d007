// SPDX-License-Identifier: BSD-3-Clause
// The device memory of this process as the driver counts it, for code outside gpu/: plain C++, no
// CUDA header.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/measure/driver_memory.hpp"

namespace lufact::gpu {

// Reads it again and again on a thread of its own, from begin() to end().
class DriverMemoryWatch {
 public:
  virtual ~DriverMemoryWatch() = default;
  virtual void begin() = 0;
  virtual DriverMemoryRecord end() = 0;
};
// Of a device, on which this process then has a context. `phase` says what this process is doing,
// empty between phases, and is called by that thread.
std::unique_ptr<DriverMemoryWatch> watch_driver_memory(int device,
                                                       std::function<std::string()> phase);

// From now on the sessions of this process keep no reserve of device memory when they return it,
// and the names of what they allocate.
void keep_held_memory();
// Bytes of device memory by name, when the sessions held most since then.
std::map<std::string, std::uint64_t> held_memory_at_peak();

}  // namespace lufact::gpu
