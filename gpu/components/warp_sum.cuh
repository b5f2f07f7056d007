// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cuda/atomic>

#include "gpu/components/thread_group.cuh"

namespace lufact::gpu {

// Adds the values of a warp to a counter of the device. All lanes must call it.
__device__ inline void add_from_warp(Offset& counter, Offset value) {
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(full_warp, value, distance);
  }
  if (value == 0 || threadIdx.x % warp_size != 0) return;
  cuda::atomic_ref<Offset, cuda::thread_scope_device>(counter).fetch_add(
      value, cuda::memory_order_relaxed);
}

}  // namespace lufact::gpu
