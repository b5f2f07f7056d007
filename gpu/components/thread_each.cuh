// SPDX-License-Identifier: BSD-3-Clause
// Launches with a thread, or a warp, for each of some things.
#pragma once
#include "gpu/components/thread_group.cuh"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

inline constexpr int threads_of_each = 256;  // of a block of such a launch

__device__ inline Offset own_thread() {
  return static_cast<Offset>(blockIdx.x) * threads_of_each + threadIdx.x;
}
// Of the warp that the thread belongs to.
__device__ inline Offset own_warp() {
  return own_thread() / warp_size;
}

inline LaunchShape thread_each(Offset count) {
  return {ceil_div(count, threads_of_each), threads_of_each};
}
inline LaunchShape warp_each(Offset count) {
  return {ceil_div(count, threads_of_each / warp_size), threads_of_each};
}

}  // namespace lufact::gpu
