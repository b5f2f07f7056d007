// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/pool_memory.hpp"

#include <cstdint>

#include "core/base/error.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

void require_pools(int device) {
  int supported = 0;
  LUFACT_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
  if (supported != 0) return;
  throw Error(Outcome::unsupported, "no_memory_pools",
              "this device or its driver has no stream-ordered memory pools, as some virtual GPUs "
              "do not; use a CPU mode, or another driver");
}

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  LUFACT_CUDA(cudaMemPoolCreate(&pool, &properties));
  return pool;
}

}  // namespace

PoolMemory::PoolMemory(int device, cudaStream_t stream) : stream_(stream) {
  require_pools(device);
  pool_ = make_pool(device);
  std::uint64_t keep = UINT64_MAX;  // all that is freed, until the pool is trimmed
  const cudaError_t status = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep);
  if (status == cudaSuccess) return;
  LUFACT_CUDA_NOEXCEPT(cudaMemPoolDestroy(pool_));
  throw_cuda_error(status, "cudaMemPoolSetAttribute", __FILE__, __LINE__);
}

PoolMemory::~PoolMemory() {
  LUFACT_CUDA_NOEXCEPT(cudaMemPoolDestroy(pool_));
}

// Free memory of the pool may be in pieces too small: the card then gets it back first.
cudaError_t PoolMemory::allocate(void** pointer, std::size_t bytes) {
  const cudaError_t status = cudaMallocFromPoolAsync(pointer, bytes, pool_, stream_);
  if (status != cudaErrorMemoryAllocation) return status;
  cudaGetLastError();
  give_back(0);
  return cudaMallocFromPoolAsync(pointer, bytes, pool_, stream_);
}

void PoolMemory::deallocate(void* pointer, std::size_t /*bytes*/) noexcept {
  LUFACT_CUDA_NOEXCEPT(cudaFreeAsync(pointer, stream_));
}

void PoolMemory::give_back(std::size_t keep) {
  LUFACT_CUDA(cudaStreamSynchronize(stream_));
  LUFACT_CUDA(cudaMemPoolTrimTo(pool_, keep));
}

void PoolMemory::let_in(int device) {
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = device;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  LUFACT_CUDA(cudaMemPoolSetAccess(pool_, &access, 1));
}

}  // namespace lufact::gpu
