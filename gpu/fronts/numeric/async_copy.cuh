// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous copies from global to shared memory, past the first-level cache (sm_80 and later;
// earlier cards copy at once).
#pragma once
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

__device__ inline void copy_16_bytes(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
#else
  *static_cast<int4*>(shared) = __ldcg(static_cast<const int4*>(global));
#endif
}
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

// Copies a panel of product_depth rows of a stored tile. By all threads of a block.
template <class T>
__device__ void copy_panel(T* panel, const T* stored) {
  constexpr unsigned piece = 16 / sizeof(T), pieces = tile / piece;
#pragma unroll
  for (unsigned first = 0; first < product_depth * pieces; first += tile_threads) {
    const unsigned p = first + threadIdx.x;
    copy_16_bytes(panel + p / pieces * tile_leading + p % pieces * piece, stored + p * piece);
  }
}

}  // namespace lufact::gpu
