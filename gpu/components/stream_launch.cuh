// SPDX-License-Identifier: BSD-3-Clause
// Launches on a stream of the caller's, which may be recorded (gpu/runtime/launch.cuh has those on
// the session's stream).
#pragma once
#include <type_traits>

#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

template <class... Parameters>
void launch_on(cudaStream_t stream, const LaunchShape& shape, void (*kernel)(Parameters...),
               std::type_identity_t<Parameters>... arguments) {
  if (shape.blocks == 0) return;
  const dim3 grid(static_cast<unsigned>(checked_index(shape.blocks, "the grid size")));
  kernel<<<grid, static_cast<unsigned>(shape.threads), shape.shared_bytes, stream>>>(arguments...);
  LUFACT_CUDA(cudaPeekAtLastError());
}

// For a kernel whose blocks wait for each other: all of them run at once, or the launch fails.
template <class... Parameters>
void launch_cooperative_on(cudaStream_t stream, const LaunchShape& shape,
                           void (*kernel)(Parameters...),
                           std::type_identity_t<Parameters>... arguments) {
  void* pointers[] = {&arguments...};
  const dim3 grid(static_cast<unsigned>(checked_index(shape.blocks, "the grid size")));
  LUFACT_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid,
                                          dim3(static_cast<unsigned>(shape.threads)), pointers,
                                          shape.shared_bytes, stream));
}

}  // namespace lufact::gpu
