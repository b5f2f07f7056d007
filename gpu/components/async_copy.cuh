// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous copies from global to shared memory (sm_80 and later; earlier cards copy at once).
#pragma once
#include <cuda_runtime.h>

namespace lufact::gpu {

// Ends a group of copies of this thread.
__device__ inline void commit_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits until all but the last `pending` groups of this thread are complete.
template <int pending>
__device__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}

// Copies the first `bytes` of kBytes (4, 8 or 16, which both places are aligned to) and clears the
// rest; where `bytes` is 0, `global` is not read. A multiple of 4.
template <int kBytes>
__device__ void copy_part(void* shared, const void* global, int bytes) {
#if __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global),
                 "n"(kBytes), "r"(bytes)
                 : "memory");
  }
#else
  const auto* const from = static_cast<const int*>(global);
  for (int w = 0; w < kBytes / 4; ++w) static_cast<int*>(shared)[w] = 4 * w < bytes ? from[w] : 0;
#endif
}

}  // namespace lufact::gpu
