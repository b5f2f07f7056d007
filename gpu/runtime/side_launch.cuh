// SPDX-License-Identifier: BSD-3-Clause
// A launch on a stream beside the session's (side_streams.hpp).
#pragma once
#include <utility>

#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

// As launch(), but what is ordered between this stream and others is the caller's business.
template <class... Parameters, class... Arguments>
void launch_on(cudaStream_t stream, const LaunchShape& shape, void (*kernel)(Parameters...),
               Arguments&&... arguments) {
  if (shape.blocks == 0) return;
  const dim3 grid(static_cast<unsigned>(checked_index(shape.blocks, "the grid size")));
  kernel<<<grid, static_cast<unsigned>(shape.threads), shape.shared_bytes, stream>>>(
      std::forward<Arguments>(arguments)...);
  LUFACT_CUDA(cudaPeekAtLastError());
#ifndef NDEBUG
  LUFACT_CUDA(cudaStreamSynchronize(stream));
#endif
}

}  // namespace lufact::gpu
