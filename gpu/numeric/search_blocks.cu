// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/numeric/pivots.cuh"
#include "gpu/numeric/search_blocks.hpp"
#include "gpu/numeric/updates.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 1024;
// For multiprocessors of 64 warps, as max_parallel_blocks assumes.
constexpr int blocks_per_multiprocessor = 2;

template <class T>
__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    search_kernel(FactorsRef<T> factors, PivotRule<T> rule, const Index* columns, Offset width,
                  NumericCounters* counters) {
  const int rank = static_cast<int>(threadIdx.x);
  for (Offset place = blockIdx.x; place < width; place += gridDim.x) {
    const Index j = columns[place];
    finish_column(factors, rule, j, rank, threads, counters);
    __syncthreads();
    const Offset tiles = column_work(factors.pattern, j).tiles();
    for (Offset tile = rank / warp_size; tile < tiles; tile += threads / warp_size) {
      update_tile<warp_size>(factors, j, tile, rank % warp_size, counters);
    }
  }
}

}  // namespace

template <class T>
void run_search_level(DeviceSession& session, const FactorsRef<T>& factors, const Index* columns,
                      Offset width, Offset blocks, T smallest_pivot, NumericCounters* counters) {
  launch(session, {std::min(blocks, width), threads}, search_kernel<T>, factors,
         PivotRule<T>{smallest_pivot}, columns, width, counters);
}

template void run_search_level(DeviceSession&, const FactorsRef<float>&, const Index*, Offset,
                               Offset, float, NumericCounters*);
template void run_search_level(DeviceSession&, const FactorsRef<double>&, const Index*, Offset,
                               Offset, double, NumericCounters*);

}  // namespace lufact::gpu
