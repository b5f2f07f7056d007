// SPDX-License-Identifier: BSD-3-Clause
// Kernels for the tests of kernel modules.
#include "gpu/batch/kernel_addresses.cuh"

namespace lufact::gpu {
namespace {

using Real = LUFACT_BATCH_REAL;

}  // namespace
}  // namespace lufact::gpu

// info[k] becomes the order that was compiled in, of all matrices; 32 a block.
extern "C" __global__ void probe_order(lufact::gpu::BatchKernelArguments arguments) {
  const lufact::Offset k = lufact::gpu::batch_block() * blockDim.x + threadIdx.x;
  if (k < arguments.count) arguments.info[k] = LUFACT_BATCH_ORDER;
}

// Through `flags` bytes of dynamic shared memory, in reverse, the numbers of the threads.
extern "C" __global__ void probe_shared(lufact::gpu::BatchKernelArguments arguments) {
  extern __shared__ unsigned char bytes[];
  auto* const numbers = reinterpret_cast<int*>(bytes + arguments.flags) - blockDim.x;
  numbers[blockDim.x - 1 - threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  arguments.info[threadIdx.x] = numbers[threadIdx.x];
}

// info[0] becomes the bytes of a number.
extern "C" __global__ void probe_real(lufact::gpu::BatchKernelArguments arguments) {
  arguments.info[0] = static_cast<int>(sizeof(lufact::gpu::Real));
}
