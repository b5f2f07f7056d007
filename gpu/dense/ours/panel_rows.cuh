// SPDX-License-Identifier: BSD-3-Clause
// Rows of a panel in the registers of one thread, eliminated column by column. Rows do not move:
// each has the position where it stands in the matrix after the exchanges so far.
#pragma once
#include <cuda_runtime.h>

#include <cmath>

#include "core/base/types.hpp"

// A pragma of nvcc that host compilers do not know.
#ifdef __CUDA_ARCH__
#define LUFACT_UNROLL_ROWS _Pragma("unroll")
#else
#define LUFACT_UNROLL_ROWS
#endif

namespace lufact::gpu::blocked {

// How entries below a pivot become multipliers.
template <class T>
struct Divisor {
  T pivot, reciprocal;
  bool is_quick;  // the reciprocal is good

  // Below a zero pivot nothing is scaled, as in LAPACK's getf2.
  __host__ __device__ T divide(T value) const {
    if (is_quick) return value * reciprocal;
    return pivot == T(0) ? value : value / pivot;
  }
};

// The row at `pivot` becomes row `step`, which takes its position.
__host__ __device__ inline Index exchanged_position(Index position, Index step, Index pivot) {
  if (position == pivot) return step;
  return position == step ? pivot : position;
}

// W columns of R rows. With every step all entries move one place to the left, so that the step's
// column is always the first, and every index is a constant: else the rows would leave the
// registers. The last place takes the multiplier, or the entry of U of a row that is done; after W
// steps everything is where it was loaded.
template <class T, int W, int R>
class PanelRows {
 public:
  static constexpr int width = W, rows = R, unrolled = R;

  struct Memory {};  // in shared memory: nothing

  PanelRows() = default;
  __host__ __device__ explicit PanelRows(const Memory&) {}

  // Position -1: no row.
  __host__ __device__ void place(int r, Index position) { position_[r] = position; }
  __host__ __device__ Index position(int r) const { return position_[r]; }
  __host__ __device__ T& entry(int r, int c) { return entry_[r][c]; }

  // Whether the row may become the pivot of this step.
  __host__ __device__ bool is_open(int r, Index step) const { return position_[r] >= step; }

  __host__ __device__ void exchange(Index step, Index pivot) {
    LUFACT_UNROLL_ROWS
    for (int r = 0; r < R; ++r) position_[r] = exchanged_position(position_[r], step, pivot);
  }

  // What a step leaves in the last place of each row: its multiplier, or its entry of U.
  struct Last {
    T of_row[R];
  };

  // After exchange(). `pivot_row`: the pivot's row as it is now, zero where it has multipliers;
  // aligned to two entries.
  __host__ __device__ void eliminate(Index step, const T* pivot_row, const Divisor<T>& divisor) {
    finish(step, pivot_row, begin(step, pivot_row, divisor));
  }

  // The same in two parts: the next step's column, in which a search may begin, and the others.
  __host__ __device__ Last begin(Index step, const T* pivot_row, const Divisor<T>& divisor) {
    Last last;
    LUFACT_UNROLL_ROWS
    for (int r = 0; r < R; ++r) {
      const T first = entry_[r][0];
      last.of_row[r] = is_below(r, step) ? divisor.divide(first) : first;
      entry_[r][0] = fma(-factor_of(r, step, last), pivot_row[1], entry_[r][1]);
    }
    return last;
  }
  __host__ __device__ void finish(Index step, const T* pivot_row, const Last& last) {
    LUFACT_UNROLL_ROWS
    for (int r = 0; r < R; r += at_once) finish_rows(r, step, pivot_row, last);
  }

  // A step without a column: of panels narrower than W.
  __host__ __device__ void pass() {
    LUFACT_UNROLL_ROWS
    for (int r = 0; r < R; ++r) {
      const T first = entry_[r][0];
      LUFACT_UNROLL_ROWS
      for (int c = 1; c < W; ++c) entry_[r][c - 1] = entry_[r][c];
      entry_[r][W - 1] = first;
    }
  }

 private:
  static_assert(W % 2 == 0);
  static constexpr int at_once = R < 2 ? R : 2;  // rows that share a look at the pivot's
  static_assert(R % at_once == 0);
  struct alignas(2 * sizeof(T)) Pair {
    T first, second;
  };

  __host__ __device__ bool is_below(int r, Index step) const { return position_[r] > step; }
  __host__ __device__ T factor_of(int r, Index step, const Last& last) const {
    return is_below(r, step) ? last.of_row[r] : T(0);
  }

  __host__ __device__ void finish_rows(int begin, Index step, const T* pivot_row,
                                       const Last& last) {
    T factor[at_once];
    LUFACT_UNROLL_ROWS
    for (int r = 0; r < at_once; ++r) factor[r] = factor_of(begin + r, step, last);
    LUFACT_UNROLL_ROWS
    for (int c = 2; c < W; c += 2) {
      const Pair pair = *reinterpret_cast<const Pair*>(pivot_row + c);
      LUFACT_UNROLL_ROWS
      for (int r = 0; r < at_once; ++r) {
        T* const entry = entry_[begin + r];
        entry[c - 1] = fma(-factor[r], pair.first, entry[c]);
        entry[c] = fma(-factor[r], pair.second, entry[c + 1]);
      }
    }
    LUFACT_UNROLL_ROWS
    for (int r = 0; r < at_once; ++r) entry_[begin + r][W - 1] = last.of_row[begin + r];
  }

  T entry_[R][W];
  Index position_[R];
};

}  // namespace lufact::gpu::blocked

#undef LUFACT_UNROLL_ROWS
