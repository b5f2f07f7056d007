// SPDX-License-Identifier: BSD-3-Clause
// Flags and tickets of synchronisation-free sweeps over the rows of a triangle.
#pragma once
#include <cuda/atomic>

#include "gpu/runtime/launch.cuh"
#include "gpu/solve/triangular_solve.hpp"

namespace lufact::gpu {

using DeviceFlag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// Views of the workspace: `flag[row]` grows when a row is done, `ticket` counts the rows started.
struct SyncRef {
  unsigned* flag;
  unsigned* ticket;
};

inline SyncRef sync_ref(unsigned* words, Index n, Triangle triangle) {
  return {words, words + n + (triangle == Triangle::lower ? 0 : 1)};
}

// The next row of the triangle for this warp, or -1; every lane gets it. Rows start in the order in
// which they depend on each other: ascending for L, descending for U.
template <Triangle triangle>
__device__ Index draw_row(const SyncRef& sync, Index n, int lane) {
  unsigned ticket = 0;
  if (lane == 0) ticket = atomicAdd(sync.ticket, 1U);
  ticket = __shfl_sync(0xffffffffU, ticket, 0);
  if (ticket >= static_cast<unsigned>(n)) return -1;
  const Index index = static_cast<Index>(ticket);
  return triangle == Triangle::lower ? index : n - 1 - index;
}

// Waits until the row's flag is at least `least`, and returns it. Acquire: what the row's warp
// wrote before its release is seen by this thread's later reads.
__device__ inline unsigned wait_for(const SyncRef& sync, Index row, unsigned least) {
  DeviceFlag flag(sync.flag[row]);
  unsigned seen = flag.load(cuda::memory_order_acquire);
  while (seen < least) seen = flag.load(cuda::memory_order_acquire);
  return seen;
}

// Release: the writes of this thread before it are seen by whoever acquires the flag.
__device__ inline void publish(const SyncRef& sync, Index row, unsigned value) {
  DeviceFlag(sync.flag[row]).store(value, cuda::memory_order_release);
}

// Half of the card's warps, in blocks of `threads`: the others could only wait.
inline LaunchShape sweep_shape(const DeviceSession& session, Index n, int threads) {
  const Offset warps = n < session.max_resident_warps() / 2 ? n : session.max_resident_warps() / 2;
  return {ceil_div(warps * warp_size, threads), threads};
}

}  // namespace lufact::gpu
