// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/factors/gather_values.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void gather_kernel(const T* from, const Offset* place, Offset count, T* to) {
  const Offset k = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (k < count) to[k] = from[place[k]];
}

}  // namespace

template <class T>
void gather_values(DeviceSession& session, const T* from, const Offset* place, Offset count,
                   T* to) {
  launch(session, {ceil_div(count, threads), threads}, gather_kernel<T>, from, place, count, to);
}

template void gather_values(DeviceSession&, const float*, const Offset*, Offset, float*);
template void gather_values(DeviceSession&, const double*, const Offset*, Offset, double*);

}  // namespace lufact::gpu
