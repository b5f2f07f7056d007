// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/zero_pivot.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int search_threads = 1024;

// One block.
template <class Real>
__global__ void zero_pivot_kernel(const Real* lu, Index ld, Index order, std::int32_t* info) {
  __shared__ Index first;
  if (threadIdx.x == 0) first = order;
  __syncthreads();
  for (Index k = static_cast<Index>(threadIdx.x); k < order; k += search_threads) {
    if (lu[Offset{k} * ld + k] != Real{0}) continue;
    atomicMin(&first, k);
    break;
  }
  __syncthreads();
  if (threadIdx.x == 0) *info = first < order ? first + 1 : 0;
}

}  // namespace

template <class Real>
void find_zero_pivot(DeviceSession& session, const Real* lu, Index ld, Index order,
                     std::int32_t* info) {
  launch(session, {1, search_threads}, zero_pivot_kernel<Real>, lu, ld, order, info);
}

template void find_zero_pivot(DeviceSession&, const float*, Index, Index, std::int32_t*);
template void find_zero_pivot(DeviceSession&, const double*, Index, Index, std::int32_t*);

}  // namespace lufact::gpu
