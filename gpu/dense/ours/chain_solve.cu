// SPDX-License-Identifier: BSD-3-Clause
#include <cuda/atomic>

#include "gpu/components/quick_reciprocal.cuh"
#include "gpu/components/stream_launch.cuh"
#include "gpu/components/thread_group.cuh"
#include "gpu/dense/ours/chain_solve.hpp"
#include "gpu/dense/ours/panel_rows.cuh"

namespace lufact::gpu::blocked {
namespace {

constexpr int chain_rows = 64;                     // of a block of threads
constexpr int parts = 4;                           // of its columns, a group of threads each
constexpr int part_columns = chain_rows / parts;   // of a tile
constexpr int chain_threads = chain_rows * parts;  // a row a thread in each group
constexpr int chain_warps = chain_threads / warp_size;
constexpr int chunks = chain_rows / warp_size;  // that one warp solves
constexpr int tile_leading = chain_rows + 1;

// Blocks take numbers, and block k waits for lower numbers alone, which have all begun: words[0]
// counts the numbers, words[1 + c] the tiles of x that are solved in column c.
template <Triangle kind, class T>
class ChainBlock {
 public:
  struct Memory {
    T tile[chain_rows * tile_leading];   // on the diagonal; entry (i, k) at [k * tile_leading + i]
    T known[chain_warps][part_columns];  // of x, for the warp's part
    T sum[parts][chain_rows];
    T solved[chain_rows];
    unsigned number;
  };

  __device__ ChainBlock(const ChainSystem<T>& system, Memory& memory)
      : system_(system), memory_(memory) {
    if (threadIdx.x == 0) memory.number = atomicAdd(system.words, 1U);
    __syncthreads();
    const auto number = static_cast<Index>(memory.number);
    step_ = number / system.columns;
    tiles_ = (system.n + chain_rows - 1) / chain_rows;
    done_ = system.words + 1 + number % system.columns;
    x_ = system.x + Offset{number % system.columns} * system.n;
    first_ = first_row(step_);
  }

  __device__ void run() {
    const Index row = first_ + own_row();
    const T right = part() == 0 && row < system_.n ? x_[row] : T(0);
    load_tile();
    T sum = T(0);
    for (Index step = 0; step < step_; ++step) sum = add_tile(step, row, sum);
    memory_.sum[part()][own_row()] = sum;
    __syncthreads();
    T value = right;
    if (part() == 0) {
      for (int other = 0; other < parts; ++other) value -= memory_.sum[other][own_row()];
    }
    solve_tile(value);
    if (part() == 0 && row < system_.n) __stcg(x_ + row, memory_.solved[own_row()]);
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*done_).store(
          static_cast<unsigned>(step_) + 1, cuda::memory_order_release);
    }
  }

 private:
  static constexpr bool is_lower = kind == Triangle::unit_lower;

  __device__ static int lane() { return static_cast<int>(threadIdx.x % warp_size); }
  __device__ static int warp() { return static_cast<int>(threadIdx.x / warp_size); }
  __device__ static int own_row() { return static_cast<int>(threadIdx.x % chain_rows); }
  __device__ static int part() { return static_cast<int>(threadIdx.x / chain_rows); }
  // Of the tile that is solved in this step.
  __device__ Index first_row(Index step) const {
    return (is_lower ? step : tiles_ - 1 - step) * chain_rows;
  }
  __device__ T entry(Index i, Index k) const {
    return i < system_.n && k < system_.n ? system_.triangle[k * system_.ld + i] : T(0);
  }

  __device__ void load_tile() const {
    for (int e = static_cast<int>(threadIdx.x); e < chain_rows * chain_rows; e += chain_threads) {
      const int i = e % chain_rows, k = e / chain_rows;
      const bool inside = max(i, k) < system_.n - first_;
      memory_.tile[k * tile_leading + i] =
          inside ? entry(first_ + i, first_ + k) : T(i == k ? 1 : 0);
    }
  }

  // The sum and the products of this thread's row with its part of the tile's x.
  __device__ T add_tile(Index step, Index row, T sum) {
    const Index column = first_row(step) + part() * part_columns;
    T ahead[part_columns];
#pragma unroll
    for (int k = 0; k < part_columns; ++k) ahead[k] = entry(row, column + k);
    wait_for(step);
    T* const known = memory_.known[warp()];
    const Index own = column + lane();
    if (lane() < part_columns) known[lane()] = own < system_.n ? __ldcg(x_ + own) : T(0);
    __syncwarp();
    T even = T(0), odd = T(0);
#pragma unroll
    for (int k = 0; k < part_columns; k += 2) {
      even = fma(ahead[k], known[k], even);
      odd = fma(ahead[k + 1], known[k + 1], odd);
    }
    __syncwarp();
    return sum + (even + odd);
  }

  // One lane acquires; the barrier of the warp makes what it has seen visible to the others.
  __device__ void wait_for(Index step) {
    if (static_cast<Index>(tiles_known_) > step) return;
    unsigned found = 0;
    if (lane() == 0) {
      const cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(*done_);
      do {
        found = done.load(cuda::memory_order_acquire);
      } while (static_cast<Index>(found) <= step);
    }
    __syncwarp();
    tiles_known_ = __shfl_sync(full_warp, found, 0);
  }

  // Chunks of 32 rows one after the other, a row a lane of one warp. By all threads of the block.
  __device__ void solve_tile(T value) {
    for (int k = 0; k < chunks; ++k) {
      const int chunk = is_lower ? k : chunks - 1 - k;
      if (warp() == chunk) memory_.solved[own_row()] = solve_chunk(value, k);
      __syncthreads();
    }
  }

  // After `before` chunks.
  __device__ T solve_chunk(T value, int before) const {
    const T* const row = memory_.tile + own_row();
    for (int k = 0; k < before * warp_size; ++k) {
      const int column = is_lower ? k : chain_rows - 1 - k;
      value = fma(-row[column * tile_leading], memory_.solved[column], value);
    }
    const T pivot = row[own_row() * tile_leading];
    const Divisor<T> divisor{pivot, quick_reciprocal(pivot), is_quick(pivot)};
    T own[warp_size];
    const int first = own_row() - lane();
#pragma unroll
    for (int k = 0; k < warp_size; ++k) own[k] = row[(first + k) * tile_leading];
#pragma unroll
    for (int step = 0; step < warp_size; ++step) {
      const int k = is_lower ? step : warp_size - 1 - step;
      if constexpr (!is_lower) {
        if (lane() == k) value = divisor.divide(value);
      }
      const T solved = __shfl_sync(full_warp, value, k);
      if (is_lower ? lane() > k : lane() < k) value = fma(-own[k], solved, value);
    }
    return value;
  }

  const ChainSystem<T>& system_;
  Memory& memory_;
  Index step_ = 0, tiles_ = 0, first_ = 0;
  unsigned* done_ = nullptr;
  T* x_ = nullptr;
  unsigned tiles_known_ = 0;  // to the warp
};

template <Triangle kind, class T>
__global__ void __launch_bounds__(chain_threads)
    chain_kernel(const __grid_constant__ ChainSystem<T> system) {
  __shared__ typename ChainBlock<kind, T>::Memory memory;
  ChainBlock<kind, T>(system, memory).run();
}

}  // namespace

template <class T>
void solve_in_chain(cudaStream_t stream, Triangle triangle, const ChainSystem<T>& system) {
  const auto kernel = triangle == Triangle::unit_lower ? chain_kernel<Triangle::unit_lower, T>
                                                       : chain_kernel<Triangle::upper, T>;
  LUFACT_CUDA(cudaMemsetAsync(system.words, 0, chain_words * sizeof(unsigned), stream));
  launch_on(stream, {ceil_div(system.n, chain_rows) * system.columns, chain_threads}, kernel,
            system);
}

template void solve_in_chain(cudaStream_t, Triangle, const ChainSystem<float>&);
template void solve_in_chain(cudaStream_t, Triangle, const ChainSystem<double>&);

}  // namespace lufact::gpu::blocked
