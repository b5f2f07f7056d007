// SPDX-License-Identifier: BSD-3-Clause
// Rows of a panel in shared memory, for matrices of so many rows that a thread has 8 or more: what
// is in registers has an index that is known when it is compiled, so that a step has code for every
// row.
#pragma once
#include "gpu/dense/ours/panel_parts.cuh"

namespace lufact::gpu::blocked {

// As PanelRows, W columns of R rows for each thread of a block; in place of its entries it is the
// first column that moves on with every step.
template <class T, int W, int R>
class SharedRows {
 public:
  static constexpr int width = W, rows = R, unrolled = 4;

  struct Memory {
    T entry[R][W][panel_threads];
    Index position[R][panel_threads];
  };

  __device__ explicit SharedRows(Memory& memory) : memory_(memory) {}

  __device__ void place(int r, Index position) { memory_.position[r][threadIdx.x] = position; }
  __device__ Index position(int r) const { return memory_.position[r][threadIdx.x]; }
  __device__ T& entry(int r, int c) const {
    return memory_.entry[r][(first_ + c) % W][threadIdx.x];
  }
  __device__ bool is_open(int r, Index step) const { return position(r) >= step; }

  __device__ void exchange(Index step, Index pivot) {
#pragma unroll unrolled
    for (int r = 0; r < R; ++r) {
      const Index before = position(r), after = exchanged_position(before, step, pivot);
      if (after != before) place(r, after);
    }
  }

  // Multipliers are in their place behind begin().
  struct Last {};

  __device__ Last begin(Index step, const T* pivot_row, const Divisor<T>& divisor) {
#pragma unroll unrolled
    for (int r = 0; r < R; ++r) {
      if (position(r) <= step) continue;
      const T multiplier = divisor.divide(entry(r, 0));
      entry(r, 0) = multiplier;
      entry(r, 1) = fma(-multiplier, pivot_row[1], entry(r, 1));
    }
    pass();
    return {};
  }
  __device__ void finish(Index step, const T* pivot_row, const Last&) const {
    const int open = W - 1 - static_cast<int>(step);
    if (open < 2) return;
#pragma unroll unrolled
    for (int r = 0; r < R; ++r) {
      if (position(r) <= step) continue;
      const T multiplier = entry(r, W - 1);
#pragma unroll 4
      for (int c = 1; c < open; ++c) entry(r, c) = fma(-multiplier, pivot_row[c + 1], entry(r, c));
    }
  }

  __device__ void pass() {
    first_ = (first_ + 1) % W;
  }

 private:
  static_assert(W >= 2 && R % unrolled == 0);

  Memory& memory_;
  int first_ = 0;
};

}  // namespace lufact::gpu::blocked
