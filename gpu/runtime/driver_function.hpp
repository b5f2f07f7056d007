// SPDX-License-Identifier: BSD-3-Clause
// Functions of the CUDA driver, found through the runtime: the program starts without a driver.
#pragma once

namespace lufact::gpu {

// Never null. Throws Error{unsupported, "old_driver"} where the driver lacks it.
void* find_driver_function(const char* name);

template <class Function>
Function* driver_function(const char* name) {
  return reinterpret_cast<Function*>(find_driver_function(name));
}

}  // namespace lufact::gpu
