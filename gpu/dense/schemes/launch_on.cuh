// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <type_traits>

#include "gpu/runtime/launch.cuh"

namespace lufact::gpu::schemes {

// As launch(), on a stream that need not be the session's.
template <class... Parameters>
void launch_on(cudaStream_t stream, const LaunchShape& shape, void (*kernel)(Parameters...),
               std::type_identity_t<Parameters>... arguments) {
  if (shape.blocks == 0) return;
  const dim3 grid(static_cast<unsigned>(checked_index(shape.blocks, "the grid size")));
  kernel<<<grid, static_cast<unsigned>(shape.threads), 0, stream>>>(arguments...);
  LUFACT_CUDA(cudaPeekAtLastError());
}

}  // namespace lufact::gpu::schemes
