// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

#include "gpu/runtime/check.hpp"

namespace lufact::gpu {

// The shared memory that a block has on the current device at most, where its kernel asks for it.
inline std::size_t most_shared_bytes() {
  int device = 0, bytes = 0;
  LUFACT_CUDA(cudaGetDevice(&device));
  LUFACT_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  return static_cast<std::size_t>(bytes);
}

}  // namespace lufact::gpu
