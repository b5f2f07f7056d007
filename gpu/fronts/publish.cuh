// SPDX-License-Identifier: BSD-3-Clause
// How blocks hand data to each other: the writer's threads meet at a barrier, then one of them
// stores with release; a reader polls with relaxed loads, which leave its caches alone, and once it
// has seen what it waits for, one acquire fence and a barrier make the data visible to its threads
// (PTX ISA, memory consistency model: release and acquire patterns, barriers are cumulative).
#pragma once
#include <cuda/atomic>

#include "gpu/components/thread_group.cuh"

namespace lufact::gpu {

__device__ inline unsigned peek_word(const unsigned* word) {
  return cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*const_cast<unsigned*>(word))
      .load(cuda::memory_order_relaxed);
}
__device__ inline void acquire_fence() {
  cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
}

// By all threads of the group, after their writes.
template <class Group>
__device__ void raise_flag(unsigned* flag) {
  Group::sync();
  if (Group::rank() == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*flag).store(1,
                                                                       cuda::memory_order_release);
  }
}
template <class Group>
__device__ void count_up(unsigned* counter) {
  Group::sync();
  if (Group::rank() == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*counter).fetch_add(
        1, cuda::memory_order_release);
  }
}

// Waits until words [0, count) are there, `word(k)` for k < count <= 32 being the address of the
// k-th and `target(k)` what it must reach. By all threads of the group.
template <class Group, class Word, class Target>
__device__ void wait_for_words(int count, const Word& word, const Target& target) {
  const int rank = Group::rank();
  if (rank < warp_size) {
    if (rank < count) {
      const unsigned* const place = word(rank);
      const unsigned wanted = target(rank);
      while (peek_word(place) < wanted) {
      }
      acquire_fence();
    }
    __syncwarp();
  }
  Group::sync();
}

}  // namespace lufact::gpu
