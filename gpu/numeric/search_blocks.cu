// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/numeric/glu_modes.hpp"
#include "gpu/numeric/pivots.cuh"
#include "gpu/numeric/search_blocks.hpp"
#include "gpu/numeric/updates.cuh"

namespace lufact::gpu {
namespace {

constexpr int largest_block = most_block_warps * warp_size;
// For multiprocessors of 64 warps, as max_parallel_blocks assumes.
constexpr int blocks_per_multiprocessor = 2;

// Each kernel gets its blocks onto the card while the one before it ends, and only then waits.
__device__ void follow_previous() {
  let_next_start();
  wait_for_previous();
}

// The tiles first, first + step, ... of a column, a warp each.
template <class T>
__device__ void update_tiles(const FactorsRef<T>& factors, Index column, Offset first, Offset step,
                             NumericCounters* counters) {
  const Offset tiles = column_work(factors.pattern, column).tiles();
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (Offset tile = first; tile < tiles; tile += step) {
    update_tile<warp_size>(factors, column, tile, lane, counters);
  }
}

// A block per column.
template <class T>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    block_kernel(FactorsRef<T> factors, PivotRule<T> rule, LevelColumns level,
                 NumericCounters* counters) {
  follow_previous();
  const int rank = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  for (Offset place = blockIdx.x; place < level.width; place += gridDim.x) {
    const Index j = level.columns[place];
    finish_column(factors, rule, j, rank, threads, counters);
    __syncthreads();
    update_tiles(factors, j, rank / warp_size, threads / warp_size, counters);
  }
}

// Stream mode, first step: a block per column.
template <class T>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    finish_kernel(FactorsRef<T> factors, PivotRule<T> rule, LevelColumns level,
                  NumericCounters* counters) {
  follow_previous();
  finish_column(factors, rule, level.columns[blockIdx.x], static_cast<int>(threadIdx.x),
                static_cast<int>(blockDim.x), counters);
}

// Second step: gridDim.x / level.width blocks per column share its tiles.
template <class T>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    update_kernel(FactorsRef<T> factors, LevelColumns level, NumericCounters* counters) {
  follow_previous();
  const Offset warps = static_cast<Offset>(blockDim.x) / warp_size;
  const Offset blocks = gridDim.x / level.width;
  const Offset first = blockIdx.x / level.width * warps + threadIdx.x / warp_size;
  update_tiles(factors, level.columns[blockIdx.x % level.width], first, blocks * warps, counters);
}

}  // namespace

template <class T>
void run_search_block_level(DeviceSession& session, const SearchElimination<T>& run,
                            const LevelColumns& level, int warps, Offset blocks) {
  launch_early(session, {std::min(blocks, level.width), warps * warp_size}, block_kernel<T>,
               run.factors, PivotRule<T>{run.smallest_pivot}, level, run.counters);
}

template <class T>
void run_search_stream_level(DeviceSession& session, const SearchElimination<T>& run,
                             const LevelColumns& level, Offset blocks) {
  for (Offset first = 0; first < level.width; first += blocks) {
    const LevelColumns some{level.columns + first, std::min(blocks, level.width - first)};
    launch_early(session, {some.width, largest_block}, finish_kernel<T>, run.factors,
                 PivotRule<T>{run.smallest_pivot}, some, run.counters);
    launch_early(session, {blocks / some.width * some.width, largest_block}, update_kernel<T>,
                 run.factors, some, run.counters);
  }
}

template void run_search_block_level(DeviceSession&, const SearchElimination<float>&,
                                     const LevelColumns&, int, Offset);
template void run_search_block_level(DeviceSession&, const SearchElimination<double>&,
                                     const LevelColumns&, int, Offset);
template void run_search_stream_level(DeviceSession&, const SearchElimination<float>&,
                                      const LevelColumns&, Offset);
template void run_search_stream_level(DeviceSession&, const SearchElimination<double>&,
                                      const LevelColumns&, Offset);

}  // namespace lufact::gpu
