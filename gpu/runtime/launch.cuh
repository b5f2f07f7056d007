// SPDX-License-Identifier: BSD-3-Clause
// The one way to launch a kernel: skips empty grids, checks the launch, and synchronises after it
// in a debug build so that a fault is blamed on the kernel that made it.
#pragma once
#include <cuda_runtime.h>

#include <type_traits>
#include <utility>

#include "core/base/types.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

inline constexpr int warp_size = 32;

__host__ __device__ constexpr Offset ceil_div(Offset a, Offset b) {
  return (a + b - 1) / b;
}

struct LaunchShape {
  Offset blocks = 0;  // at most 2^31 - 1
  int threads = 0;
  std::size_t shared_bytes = 0;
};

template <class... Parameters, class... Arguments>
void launch(DeviceSession& session, const LaunchShape& shape, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  if (shape.blocks == 0) return;
  const dim3 grid(static_cast<unsigned>(checked_index(shape.blocks, "the grid size")));
  kernel<<<grid, static_cast<unsigned>(shape.threads), shape.shared_bytes, session.stream()>>>(
      std::forward<Arguments>(arguments)...);
  LUFACT_CUDA(cudaPeekAtLastError());
#ifndef NDEBUG
  LUFACT_CUDA(cudaStreamSynchronize(session.stream()));
#endif
}

// The same for a kernel whose blocks wait for each other: all of them run at once, or the launch
// fails.
template <class... Parameters>
void launch_cooperative(DeviceSession& session, const LaunchShape& shape,
                        void (*kernel)(Parameters...),
                        std::type_identity_t<Parameters>... arguments) {
  void* pointers[] = {&arguments...};
  const dim3 grid(static_cast<unsigned>(checked_index(shape.blocks, "the grid size")));
  LUFACT_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid,
                                          dim3(static_cast<unsigned>(shape.threads)), pointers,
                                          shape.shared_bytes, session.stream()));
#ifndef NDEBUG
  LUFACT_CUDA(cudaStreamSynchronize(session.stream()));
#endif
}

}  // namespace lufact::gpu
