// SPDX-License-Identifier: BSD-3-Clause
// Whether a device can be used at all. gpu::query_device of gpu/gpu.hpp is defined beside it.
#pragma once
#include <string>

namespace lufact::gpu {

// Empty where device `index` exists; otherwise why not, and what to do. The first CUDA call of a
// process goes through here: it also asks for eager loading of kernels, unless the user has set
// CUDA_MODULE_LOADING, so that no phase pays for loading them.
std::string find_device_fault(int index);

// As nvidia-smi prints it, of a device that is there.
std::string device_uuid(int index);

}  // namespace lufact::gpu
