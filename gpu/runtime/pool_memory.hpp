// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/runtime/device_memory.hpp"

namespace lufact::gpu {

// A stream-ordered pool of CUDA. It takes memory from the card in steps of 32 MiB. Tools that check
// accesses know every array by itself.
class PoolMemory final : public DeviceMemory {
 public:
  // Throws Error{unsupported, "no_memory_pools"} where the device or its driver has none.
  PoolMemory(int device, cudaStream_t stream);
  ~PoolMemory() override;
  PoolMemory(const PoolMemory&) = delete;
  PoolMemory& operator=(const PoolMemory&) = delete;

  cudaError_t allocate(void** pointer, std::size_t bytes) override;
  void deallocate(void* pointer, std::size_t bytes) noexcept override;
  void give_back(std::size_t keep) override;
  void let_in(int device) override;

 private:
  cudaStream_t stream_;
  cudaMemPool_t pool_ = nullptr;
};

}  // namespace lufact::gpu
