// SPDX-License-Identifier: BSD-3-Clause
// What the panel just left of one does to its columns: exchanges, rows of U, product. The kernel of
// a panel does that for itself, so that the chain of panels is one launch a panel.
#pragma once
#include "gpu/dense/ours/panel_parts.cuh"

namespace lufact::gpu::blocked {

// The panel before has W columns, all eliminated. Rows count from this panel's first; those of U
// are -W to -1. Every block makes the rows of U for itself, one of them stores them.
template <class T, class Rows>
class PanelBefore {
  static constexpr int W = Rows::width, R = Rows::rows;

 public:
  static constexpr int leading = W + 2;  // rows stay aligned to two entries

  struct Memory {
    alignas(16) T u[W][leading];         // u[k][c]: row k - W of U
    alignas(16) T triangle[W][leading];  // triangle[k][i]: L(i - W, k - W)
    alignas(16) Index destination[W];    // of row k - W
  };

  __device__ PanelBefore(const Panel<T>& panel, Memory& memory) : panel_(panel), memory_(memory) {}

  // By all threads of the block. Behind it, source() may be called.
  __device__ void fetch() const {
    const int lane = lane_of_warp();
    const Index k = min(lane, W - 1);
    const Index origin = panel_.origin[k - W] - panel_.first;
    for (int c = warp_of_block(); c < W; c += panel_warps) {
      const T from_top = c < panel_.columns ? panel_.a[c * panel_.ld + origin] : T(0);
      const T multiplier = panel_.a[(c - W) * panel_.ld + k - W];
      if (lane < W) {
        memory_.u[lane][c] = from_top;
        memory_.triangle[c][lane] = multiplier;
      }
    }
    if (threadIdx.x < W) memory_.destination[lane] = panel_.destination[lane - W] - panel_.first;
    __syncthreads();
  }

  // Where this panel's part of row `row` stands before the exchanges.
  __device__ Index source(Index row) const {
    Index from = row;
#pragma unroll
    for (int k = 0; k < W; ++k) {
      if (memory_.destination[k] == row) from = k - W;
    }
    return from;
  }

  // A column a lane of the first warp; then all threads may use the rows of U.
  __device__ void solve() const {
    if (warp_of_block() == 0) substitute(lane_of_warp());
    __syncthreads();
  }

  // By every thread for its rows.
  __device__ void subtract(Rows& rows) const {
#pragma unroll Rows::unrolled / at_once
    for (int r = 0; r < R; r += at_once) subtract_from(rows, r);
  }

  // Once no block reads what stands there any more.
  __device__ void store() const {
    const int lane = lane_of_warp();
    for (int c = warp_of_block(); c < panel_.columns; c += panel_warps) {
      if (lane < W) panel_.a[c * panel_.ld + lane - W] = memory_.u[lane][c];
    }
  }

 private:
  static_assert(W <= warp_size && W % 2 == 0);
  static constexpr int at_once = R < 2 ? R : 2;  // rows that share a look at U
  static constexpr int depth = W < 4 ? W : 4;    // multipliers that are fetched at a time
  static_assert(W % depth == 0);
  struct alignas(2 * sizeof(T)) Pair {
    T first, second;
  };

  __device__ void substitute(int column) const {
    if (column >= W) return;
    T x[W];
#pragma unroll
    for (int k = 0; k < W; ++k) x[k] = memory_.u[k][column];
#pragma unroll
    for (int k = 0; k < W; ++k) {
#pragma unroll
      for (int i = k - k % 2; i < W; i += 2) {
        const Pair pair = *reinterpret_cast<const Pair*>(memory_.triangle[k] + i);
        if (i > k) x[i] = fma(-pair.first, x[k], x[i]);
        if (i + 1 > k) x[i + 1] = fma(-pair.second, x[k], x[i + 1]);
      }
    }
#pragma unroll
    for (int k = 0; k < W; ++k) memory_.u[k][column] = x[k];
  }

  using Multipliers = T[at_once][depth];

  __device__ void fetch(Multipliers& to, const Rows& rows, int begin, int k) const {
#pragma unroll
    for (int r = 0; r < at_once; ++r) {
      const Index row = rows.position(begin + r);
#pragma unroll
      for (int d = 0; d < depth; ++d) {
        to[r][d] = row >= 0 && k < W ? panel_.a[(k + d - W) * panel_.ld + row] : T(0);
      }
    }
  }

  // The next multipliers are on their way while these are worked with.
  __device__ void subtract_from(Rows& rows, int begin) const {
    Multipliers next;
    fetch(next, rows, begin, 0);
#pragma unroll 1
    for (int k = 0; k < W; k += depth) {
      T now[at_once][depth];
#pragma unroll
      for (int r = 0; r < at_once; ++r) {
#pragma unroll
        for (int d = 0; d < depth; ++d) now[r][d] = next[r][d];
      }
      fetch(next, rows, begin, k + depth);
#pragma unroll
      for (int d = 0; d < depth; ++d) {
#pragma unroll
        for (int c = 0; c < W; c += 2) {
          const Pair pair = *reinterpret_cast<const Pair*>(memory_.u[k + d] + c);
#pragma unroll
          for (int r = 0; r < at_once; ++r) {
            T& first = rows.entry(begin + r, c);
            T& second = rows.entry(begin + r, c + 1);
            first = fma(-now[r][d], pair.first, first);
            second = fma(-now[r][d], pair.second, second);
          }
        }
      }
    }
  }

  const Panel<T>& panel_;
  Memory& memory_;
};

}  // namespace lufact::gpu::blocked
