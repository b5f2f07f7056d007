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

// For kernels that follow one another (programmatic dependent launch). A kernel launched by
// launch_early() may start before the kernel in front of it in the stream is done, once all blocks
// of that kernel have called let_next_start(). All threads of the early kernel must call
// wait_for_previous() before they touch anything that kernels write. This hides most of the 3.4 us
// that an H200 takes from one kernel to the next. Before compute capability 9.0 the launch is an
// ordinary one.
__device__ inline void let_next_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// Whether the code compiled for this device is for compute capability 9.0 or later, which has these
// two calls, clusters and the copy unit; the same for all kernels.
inline bool has_code_for_9_0(const void* kernel) {
  static const bool able = [kernel] {
    cudaFuncAttributes attributes{};
    LUFACT_CUDA(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion >= 90;
  }();
  return able;
}

template <class... Parameters>
void launch_early(DeviceSession& session, const LaunchShape& shape, void (*kernel)(Parameters...),
                  std::type_identity_t<Parameters>... arguments) {
  if (shape.blocks == 0) return;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(checked_index(shape.blocks, "the grid size")));
  config.blockDim = dim3(static_cast<unsigned>(shape.threads));
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = session.stream();
  config.attrs = &early;
  config.numAttrs = has_code_for_9_0(reinterpret_cast<const void*>(kernel)) ? 1 : 0;
  LUFACT_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
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
