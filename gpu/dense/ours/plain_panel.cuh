// SPDX-License-Identifier: BSD-3-Clause
// A panel that is eliminated without pivoting: every block makes the factors of the first rows for
// itself, and then eliminates its own rows with them, so that no block waits for another and no
// thread below for the chain of pivots but once.
#pragma once
#include <cuda/atomic>

#include "gpu/dense/ours/panel_parts.cuh"

namespace lufact::gpu::blocked {

// Whether this block is the last whose threads have read the panel's first rows: it may overwrite
// them. By all threads of the block.
__device__ inline bool is_last_to_load(unsigned* loaded) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*loaded);
    is_last = count.fetch_add(1, cuda::memory_order_acq_rel) + 1 == gridDim.x;
    if (is_last) count.store(0, cuda::memory_order_relaxed);
  }
  __syncthreads();
  return is_last;
}

// Rows of U as PanelRows takes them, zeros behind the last entry, and how to divide by pivots.
template <class T, int W>
struct PlainPanelMemory {
  alignas(16) T pivot_row[W][W];
  Divisor<T> divisor[W];
};

// Of the first `threads` threads of the block, a multiple of 32.
template <int threads>
__device__ void first_threads_barrier() {
  asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");
}

// Threads below W hold the panel's first rows; kThreads more hold the block's own.
template <class T, int W, int kThreads>
__global__ void __launch_bounds__(W + kThreads, 1)
    plain_panel_kernel(const __grid_constant__ Panel<T> panel) {
  extern __shared__ __align__(16) char bytes[];
  auto& memory = *reinterpret_cast<PlainPanelMemory<T, W>*>(bytes);
  const auto thread = static_cast<Index>(threadIdx.x);
  const bool is_top = thread < W;
  const Index row =
      is_top ? thread : panel.columns + static_cast<Index>(blockIdx.x) * kThreads + thread - W;
  PanelRows<T, W, 1> rows;
  load_row(panel, rows, 0, row, row < (is_top ? panel.columns : panel.rows));
  const bool stores_top = is_last_to_load(panel.loaded);
  if (is_top) {
    ZeroPivot zero;
#pragma unroll 1
    for (Index step = 0; step < panel.columns; ++step) {
      T* const shared = memory.pivot_row[step];
      if (thread == step) {
        memory.divisor[step] = divisor_of(rows.entry(0, 0));
#pragma unroll
        for (int c = 0; c < W; ++c) shared[c] = c < W - step ? rows.entry(0, c) : T(0);
      }
      first_threads_barrier<W>();
      zero.look_at(step, shared[0] == T(0));
      rows.eliminate(step, shared, memory.divisor[step]);
    }
    if (blockIdx.x == 0 && thread == 0) zero.report(panel);
    if (!stores_top) rows.place(0, -1);
  }
  __syncthreads();
  if (!is_top) {
#pragma unroll 1
    for (Index step = 0; step < panel.columns; ++step) {
      rows.eliminate(step, memory.pivot_row[step], memory.divisor[step]);
    }
  }
  store_rows(panel, rows);
}

}  // namespace lufact::gpu::blocked
