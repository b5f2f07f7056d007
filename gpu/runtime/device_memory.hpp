// SPDX-License-Identifier: BSD-3-Clause
// Where a session's device memory comes from, and what keeps it once it is freed.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace lufact::gpu {

// Ordered by the stream that it was made for: an array may be freed while work that uses it is on
// the stream, and its memory may be taken again at once, for later work there. Several threads may
// use one object; all arrays must be freed before it goes.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  // At least 256-byte aligned. cudaErrorMemoryAllocation where neither what is kept nor the card
  // has room: all that is free has gone back to the card then, unless no card has so much. Throws
  // where a call fails for another reason, as the memory itself does.
  virtual cudaError_t allocate(void** pointer, std::size_t bytes) = 0;
  // `bytes` as they were allocated.
  virtual void deallocate(void* pointer, std::size_t bytes) noexcept = 0;
  // Waits for the stream, then gives free memory back to the card as long as `keep` bytes stay,
  // those in use among them.
  virtual void give_back(std::size_t keep) = 0;
  // Lets another device, which must have peer access, reach all arrays, those to come as well.
  virtual void let_in(int device) = 0;
};

// A DeviceHeap; a PoolMemory where the device lacks virtual memory management, or the environment
// has LUFACT_DEVICE_MEMORY=pool. Throws Error{unsupported, "no_memory_pools"} where there is
// neither, {error, "bad_device_memory"} where the variable has a value other than "heap" and
// "pool".
std::unique_ptr<DeviceMemory> open_device_memory(int device, cudaStream_t stream);

}  // namespace lufact::gpu
