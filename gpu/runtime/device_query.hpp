// SPDX-License-Identifier: BSD-3-Clause
// Whether a device can be used at all. query_device() of session_facts.hpp is
// defined beside it.
#pragma once
#include <string>

namespace lufact::gpu {

// Empty where device `index` exists; otherwise why not, and what to do. The first CUDA call of a
// process goes through here: it also asks for eager loading of kernels, unless the user has set
// CUDA_MODULE_LOADING, so that no phase pays for loading them.
std::string find_device_fault(int index);

// As nvidia-smi prints them, of a device that is there. query_device() starts and stops NVML
// beside, which takes milliseconds.
std::string device_name(int index);
std::string device_uuid(int index);

}  // namespace lufact::gpu
