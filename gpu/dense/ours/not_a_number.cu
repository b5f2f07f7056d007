// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/not_a_number.hpp"

namespace lufact::gpu::blocked {
namespace {

constexpr int threads = 256, most_blocks = 1024;

template <class T>
__global__ void spoil_kernel(T* x, Offset size, const std::int32_t* info) {
  if (*info == 0) return;
  const Offset step = static_cast<Offset>(gridDim.x) * threads;
  for (Offset k = static_cast<Offset>(blockIdx.x) * threads + threadIdx.x; k < size; k += step) {
    x[k] = static_cast<T>(nan(""));
  }
}

}  // namespace

template <class T>
void spoil_if_singular(cudaStream_t stream, T* x, Offset size, const std::int32_t* info) {
  launch_on(stream, {std::min<Offset>(most_blocks, ceil_div(size, threads)), threads},
            spoil_kernel<T>, x, size, info);
}

template void spoil_if_singular(cudaStream_t, float*, Offset, const std::int32_t*);
template void spoil_if_singular(cudaStream_t, double*, Offset, const std::int32_t*);

}  // namespace lufact::gpu::blocked
