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

// Over the lanes of the warp whose numbers differ by multiples of `stride`, a power of two, in each
// of them; all lanes must call it.
template <int stride = 1>
__device__ unsigned long long warp_largest(unsigned long long bits) {
  for (int offset = warp_size / 2; offset >= stride; offset /= 2) {
    const unsigned long long other = __shfl_xor_sync(0xffffffffU, bits, offset);
    bits = bits < other ? other : bits;
  }
  return bits;
}

// Looks before it writes: most calls do not raise the maximum, and an atomic on one address is
// slow.
__device__ inline void raise_to(unsigned long long* largest, unsigned long long bits) {
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> target(*largest);
  if (target.load(cuda::memory_order_relaxed) < bits) atomicMax(largest, bits);
}

}  // namespace lufact::gpu
