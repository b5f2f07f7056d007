// SPDX-License-Identifier: BSD-3-Clause
// Prefix sums inside a cooperative kernel.
#pragma once
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "gpu/components/grid.cuh"

namespace lufact::gpu {

struct Plus {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Larger {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

// Workspace of one block, in shared memory.
template <class T>
struct GridScanStorage {
  using Scan = cub::BlockScan<T, grid_threads>;
  using Reduce = cub::BlockReduce<T, grid_threads>;
  union {
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  };
  T before;  // sum of all blocks before this one
};

// store(k, v) for every k < count, where v combines load(0) .. load(k). `combine` is associative
// and commutative, `identity` its neutral element. A block has consecutive items, the same ones in
// every scan of `count` items; load(k) is called twice, the second time in the thread that stores
// k, just before. `partial` has a place for each block and must not be in use by the scan before.
// One barrier of the grid, before the first store; none after the last.
template <class T, class Combine, class Load, class Store>
__device__ void grid_scan(const Grid& grid, GridScanStorage<T>& storage, T* partial, Offset count,
                          T identity, const Combine& combine, const Load& load,
                          const Store& store) {
  using Storage = GridScanStorage<T>;
  const Offset tiles = ceil_div(ceil_div(count, grid_threads), gridDim.x);
  const Offset begin = tiles * grid_threads * blockIdx.x;
  const Offset end = begin + tiles * grid_threads < count ? begin + tiles * grid_threads : count;
  const int thread = static_cast<int>(threadIdx.x);
  T own = identity;
  for (Offset k = begin + thread; k < end; k += grid_threads) own = combine(own, load(k));
  __syncthreads();
  own = typename Storage::Reduce(storage.reduce).Reduce(own, combine);
  if (thread == 0) partial[blockIdx.x] = own;
  grid.sync();
  T before = identity;
  for (int b = thread; b < static_cast<int>(blockIdx.x); b += grid_threads) {
    before = combine(before, partial[b]);
  }
  before = typename Storage::Reduce(storage.reduce).Reduce(before, combine);
  if (thread == 0) storage.before = before;
  __syncthreads();
  before = storage.before;
  for (Offset tile = begin; tile < end; tile += grid_threads) {
    const Offset k = tile + thread;
    T inclusive = k < end ? load(k) : identity, total;
    typename Storage::Scan(storage.scan).InclusiveScan(inclusive, inclusive, combine, total);
    if (k < end) store(k, combine(before, inclusive));
    before = combine(before, total);
    __syncthreads();
  }
}

}  // namespace lufact::gpu
