// SPDX-License-Identifier: BSD-3-Clause
// Kernels for the tests of kernel modules.
#include "gpu/batch/batch_places.cuh"
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

// result = 2 A and b = 2 b, exactly; pivots 1 to n; info the first entry of A, in thousandths. For
// square matrices of order `flags`, one a thread, in every layout.
extern "C" __global__ void probe_double(lufact::gpu::BatchKernelArguments arguments) {
  using namespace lufact;
  using namespace lufact::gpu;
  const Offset k = batch_block() * blockDim.x + threadIdx.x;
  if (k >= arguments.count) return;
  const Index n = arguments.flags;
  const auto places = [&](void* base, Index columns, Index ld) {
    const auto precision = sizeof(Real) == 4 ? Precision::float32 : Precision::float64;
    return BatchPlaces{
        base, static_cast<ArrayLayout>(arguments.layout), precision, arguments.count, columns, ld};
  };
  const BatchPlaces a = places(arguments.a, n, arguments.ld);
  const BatchPlaces result = places(arguments.result, n, arguments.ld);
  const BatchPlaces b = places(arguments.b, arguments.rhs, n);
  arguments.info[k] = static_cast<int>(1000 * place_of<Real>(a, k, 0, 0));
  for (Index e = 0; e < n * n; ++e) {
    place_of<Real>(result, k, e % n, e / n) = 2 * place_of<Real>(a, k, e % n, e / n);
  }
  for (Index e = 0; e < n * arguments.rhs; ++e) place_of<Real>(b, k, e % n, e / n) *= 2;
  for (Index i = 0; arguments.pivots != nullptr && i < n; ++i) arguments.pivots[k * n + i] = i + 1;
}
