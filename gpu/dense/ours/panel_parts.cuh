// SPDX-License-Identifier: BSD-3-Clause
// What panels with and without pivoting share: rows from the matrix into registers and back, the
// divisor of a step, the first zero pivot.
#pragma once
#include "gpu/components/quick_reciprocal.cuh"
#include "gpu/dense/ours/panel_kernels.hpp"
#include "gpu/dense/ours/panel_rows.cuh"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu::blocked {

// Of a block of a panel, but for the first rows of one without pivoting.
inline constexpr int panel_threads = 256, panel_warps = panel_threads / warp_size;

__device__ inline int lane_of_warp() {
  return static_cast<int>(threadIdx.x % warp_size);
}
__device__ inline int warp_of_block() {
  return static_cast<int>(threadIdx.x / warp_size);
}

template <class T>
__device__ Divisor<T> divisor_of(T pivot) {
  return {pivot, quick_reciprocal(pivot), is_quick(pivot)};
}

// Row `row` of the panel, which stands in row `from`, by the thread that holds it as its r-th;
// zeros behind the last column.
template <class T, class Rows>
__device__ void load_row(const Panel<T>& panel, Rows& rows, int r, Index row, Index from,
                         bool exists) {
  rows.place(r, exists ? row : -1);
#pragma unroll
  for (int c = 0; c < Rows::width; ++c) {
    rows.entry(r, c) = exists && c < panel.columns ? panel.a[c * panel.ld + from] : T(0);
  }
}

// After W steps, of which the last ones may have had no column.
template <class T, class Rows>
__device__ void store_rows(const Panel<T>& panel, Rows& rows) {
  for (Index step = panel.columns; step < Rows::width; ++step) rows.pass();
#pragma unroll Rows::unrolled
  for (int r = 0; r < Rows::rows; ++r) {
    if (rows.position(r) < 0) continue;
    T* const to = panel.a + rows.position(r);
#pragma unroll
    for (int c = 0; c < Rows::width; ++c) {
      if (c < panel.columns) to[c * panel.ld] = rows.entry(r, c);
    }
  }
}

// The first zero pivot, seen by one thread of the grid.
class ZeroPivot {
 public:
  __device__ void look_at(Index step, bool is_zero) {
    if (is_zero && step_ < 0) step_ = step;
  }
  template <class T>
  __device__ void report(const Panel<T>& panel) const {
    if (step_ >= 0 && *panel.info == 0) *panel.info = panel.first + step_ + 1;
  }

 private:
  Index step_ = -1;
};

}  // namespace lufact::gpu::blocked
