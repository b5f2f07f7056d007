// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/numeric/dense_column.cuh"
#include "gpu/numeric/dense_levels.hpp"
#include "gpu/numeric/pivots.cuh"
#include "gpu/runtime/side_launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int largest_block = most_block_warps * warp_size;
// Two of the largest blocks to a multiprocessor of 64 warps, which is what max_parallel_blocks
// counts on.
constexpr int blocks_per_multiprocessor = 2;

// The kernels follow one another closely: each gets its blocks onto the card while the one before
// it ends, and only then waits for it.
__device__ void follow_previous() {
  let_next_start();
  wait_for_previous();
}

// A block per column and a warp per sub-column; block b owns work column b.
template <class T>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    block_kernel(FactorsRef<T> factors, WorkColumns<T> work, PivotRule<T> rule, LevelColumns level,
                 NumericCounters* counters) {
  __shared__ MissedUpdates::Storage sums;
  follow_previous();
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  const int rank = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  T* const column = work.column(blockIdx.x);
  MissedUpdates missed;
  for (Offset place = blockIdx.x; place < level.width; place += gridDim.x) {
    const Index j = level.columns[place];
    const ColumnWork shape = column_work(factors.pattern, j);
    finish_column(factors, rule, j, rank, threads, counters);
    if (shape.sub_count == 0) continue;
    scatter_column(factors, shape, column, rank, threads);
    __syncthreads();
    for (Offset s = rank / warp_size; s < shape.sub_count; s += warps) {
      update_sub_column(factors, shape.sub_begin + s, shape.l_count, column, lane, warp_size,
                        missed);
    }
    __syncthreads();
    clear_column(factors.pattern, shape, column, rank, threads);
    __syncthreads();
  }
  missed.report(sums, counters);
}

// Stream mode, first step: a block per column.
template <class T>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    scatter_kernel(FactorsRef<T> factors, WorkColumns<T> work, PivotRule<T> rule,
                   LevelColumns level, NumericCounters* counters) {
  follow_previous();
  const Index j = level.columns[blockIdx.x];
  const int rank = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  finish_column(factors, rule, j, rank, threads, counters);
  scatter_column(factors, column_work(factors.pattern, j), work.column(blockIdx.x), rank, threads);
}

// Second step: gridDim.x / level.width blocks per column, each with every so many-th sub-column.
template <class T>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    update_kernel(FactorsRef<T> factors, WorkColumns<T> work, LevelColumns level,
                  NumericCounters* counters) {
  __shared__ MissedUpdates::Storage sums;
  follow_previous();
  const Offset slot = blockIdx.x % level.width;
  const Offset blocks = gridDim.x / level.width;
  const ColumnWork shape = column_work(factors.pattern, level.columns[slot]);
  MissedUpdates missed;
  for (Offset s = blockIdx.x / level.width; s < shape.sub_count; s += blocks) {
    update_sub_column(factors, shape.sub_begin + s, shape.l_count, work.column(slot),
                      static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), missed);
  }
  missed.report(sums, counters);
}

// Third step: a block per column.
template <class T>
__global__ void __launch_bounds__(largest_block, blocks_per_multiprocessor)
    clear_kernel(FactorPattern pattern, WorkColumns<T> work, LevelColumns level) {
  follow_previous();
  clear_column(pattern, column_work(pattern, level.columns[blockIdx.x]), work.column(blockIdx.x),
               static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x));
}

// The three steps of columns of one level, each started by start(shape, kernel, arguments...).
template <class T, class Start>
void run_stream_columns(const DenseElimination<T>& run, const LevelColumns& level,
                        const StreamShape& shape, Start start) {
  const Offset share = std::max<Offset>(shape.blocks / level.width, 1);
  const Offset per_column = shape.sub_columns > 0 ? std::min(share, shape.sub_columns) : share;
  const WorkColumns<T> work{run.work.values, run.factors.pattern.n};
  const PivotRule<T> rule{run.smallest_pivot};
  const LaunchShape by_column{level.width, largest_block};
  start(by_column, scatter_kernel<T>, run.factors, work, rule, level, run.counters);
  start(LaunchShape{level.width * per_column, largest_block}, update_kernel<T>, run.factors, work,
        level, run.counters);
  start(by_column, clear_kernel<T>, run.factors.pattern, work, level);
}

}  // namespace

template <class T>
void run_block_level(DeviceSession& session, const DenseElimination<T>& run,
                     const LevelColumns& level, int warps, Offset blocks) {
  launch_early(session, {blocks, warps * warp_size}, block_kernel<T>, run.factors,
               WorkColumns<T>{run.work.values, run.factors.pattern.n},
               PivotRule<T>{run.smallest_pivot}, level, run.counters);
}

template <class T>
void run_stream_level(DeviceSession& session, const DenseElimination<T>& run,
                      const LevelColumns& level, const StreamShape& shape) {
  for (Offset first = 0; first < level.width; first += run.work.count) {
    run_stream_columns(run, {level.columns + first, std::min(run.work.count, level.width - first)},
                       shape, [&](const LaunchShape& grid, auto kernel, const auto&... arguments) {
                         launch_early(session, grid, kernel, arguments...);
                       });
  }
}

template <class T>
void run_column_streams_level(SideStreams& streams, const DenseElimination<T>& run,
                              const LevelColumns& level, const StreamShape& shape) {
  const StreamShape of_column{std::max<Offset>(shape.blocks / level.width, 1), shape.sub_columns};
  for (Offset first = 0; first < level.width; first += run.work.count) {
    streams.fork();
    const Offset columns = std::min(run.work.count, level.width - first);
    for (Offset c = 0; c < columns; ++c) {
      DenseElimination<T> of_slot = run;
      of_slot.work = {run.work.values + c * run.factors.pattern.n, 1};
      const cudaStream_t stream = streams.stream(static_cast<int>(c % streams.count()));
      run_stream_columns(of_slot, {level.columns + first + c, 1}, of_column,
                         [&](const LaunchShape& grid, auto kernel, const auto&... arguments) {
                           launch_on(stream, grid, kernel, arguments...);
                         });
    }
    streams.join();
  }
}

template void run_block_level(DeviceSession&, const DenseElimination<float>&, const LevelColumns&,
                              int, Offset);
template void run_block_level(DeviceSession&, const DenseElimination<double>&, const LevelColumns&,
                              int, Offset);
template void run_stream_level(DeviceSession&, const DenseElimination<float>&, const LevelColumns&,
                               const StreamShape&);
template void run_stream_level(DeviceSession&, const DenseElimination<double>&, const LevelColumns&,
                               const StreamShape&);
template void run_column_streams_level(SideStreams&, const DenseElimination<float>&,
                                       const LevelColumns&, const StreamShape&);
template void run_column_streams_level(SideStreams&, const DenseElimination<double>&,
                                       const LevelColumns&, const StreamShape&);

}  // namespace lufact::gpu
