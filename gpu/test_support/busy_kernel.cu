// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/check.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu::testing_support {
namespace {

// Every thread only waits.
__global__ void busy_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

void launch_busy(cudaStream_t stream, int blocks, long long cycles) {
  busy_kernel<<<static_cast<unsigned>(blocks), 1024, 0, stream>>>(cycles);
  LUFACT_CUDA(cudaPeekAtLastError());
}

}  // namespace lufact::gpu::testing_support
