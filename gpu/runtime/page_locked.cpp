// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include "gpu/runtime/check.hpp"
#include "gpu/runtime/session_facts.hpp"

namespace lufact::gpu {

// Other libraries work in the same primary context, which the call makes where there is none yet.
std::shared_ptr<void> page_locked_memory(int device, std::size_t bytes) {
  void* pointer = nullptr;
  if (cudaSetDevice(device) != cudaSuccess ||
      cudaHostAlloc(&pointer, bytes, cudaHostAllocPortable) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return {pointer, [](void* memory) { LUFACT_CUDA_NOEXCEPT(cudaFreeHost(memory)); }};
}

}  // namespace lufact::gpu
