// SPDX-License-Identifier: BSD-3-Clause
// Largest magnitudes on the device: doubles that are not negative compare as their bits do, and a
// NaN is larger than all of them, so that it is never lost.
#pragma once
#include <cuda/atomic>

#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

__device__ inline unsigned long long magnitude_bits(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(fabs(value)));
}

// The largest over the warp, returned to every lane. All lanes must call it.
__device__ inline unsigned long long warp_largest(unsigned long long bits) {
#if __CUDA_ARCH__ >= 800
  // The largest upper half decides, then the largest lower half among values that have it.
  const auto upper = static_cast<unsigned>(bits >> 32), lower = static_cast<unsigned>(bits);
  const unsigned largest = __reduce_max_sync(0xffffffffU, upper);
  const unsigned rest = __reduce_max_sync(0xffffffffU, upper == largest ? lower : 0);
  return static_cast<unsigned long long>(largest) << 32 | rest;
#else
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    const unsigned long long other = __shfl_xor_sync(0xffffffffU, bits, offset);
    bits = bits < other ? other : bits;
  }
  return bits;
#endif
}

// The same of 32 bits, and the least.
__device__ inline unsigned warp_largest(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffU, value);
#else
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    value = max(value, __shfl_xor_sync(0xffffffffU, value, offset));
  }
  return value;
#endif
}
__device__ inline unsigned warp_least(unsigned value) {
  return ~warp_largest(~value);
}

// Looks before it writes: most calls do not raise the maximum, and an atomic on one address is
// slow.
__device__ inline void raise_to(unsigned long long* largest, unsigned long long bits) {
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> target(*largest);
  if (target.load(cuda::memory_order_relaxed) < bits) atomicMax(largest, bits);
}

}  // namespace lufact::gpu
