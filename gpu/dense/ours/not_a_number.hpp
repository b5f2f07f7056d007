// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/base/types.hpp"

namespace lufact::gpu::blocked {

// Makes all of x NaN where *info, on the device, is not 0. Asynchronous.
template <class T>
void spoil_if_singular(cudaStream_t stream, T* x, Offset size, const std::int32_t* info);

}  // namespace lufact::gpu::blocked
