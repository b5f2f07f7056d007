// SPDX-License-Identifier: BSD-3-Clause
// One row of a triangular solve by one warp: device components shared by the solve methods.
#pragma once
#include "gpu/solve/triangular_solve.hpp"

namespace lufact::gpu {

// Right-hand sides of one pass, and the place of their solutions: `count` columns of length n, one
// after another; `from` and `to` may be the same.
struct RhsRef {
  const double* from;
  double* to;
  Offset n;
  int count;
};

// The sum over the warp in a fixed order, in every lane: the result does not depend on timing.
template <class T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  }
  return value;
}

// Positions of the strict part of a row.
struct RowRange {
  Offset begin, end;
};

template <Triangle triangle, class T>
__device__ RowRange strict_part(const RowFactors<T>& factors, Index row) {
  const Offset diagonal = factors.diagonal[row];
  if constexpr (triangle == Triangle::lower) {
    return {factors.row_ptr[row], diagonal};
  } else {
    return {diagonal + 1, factors.row_ptr[row + 1]};
  }
}

// The diagonal entry that a row of the triangle is divided by.
template <Triangle triangle, class T>
__device__ T divisor(const RowFactors<T>& factors, Index row) {
  if constexpr (triangle == Triangle::lower) {
    return T(1);
  } else {
    return factors.values[factors.diagonal[row]];
  }
}

// sum[c] = sum over the range of T(row, j) x(j, c), in every lane. Lane l takes the entries l, l +
// 32, ...; `read(j, c)` loads x(j, c), known or not; `settle(j, c, x)` waits until x is known and
// returns it. Loads of several rounds overlap.
template <int Columns, class T, class Read, class Settle>
__device__ void row_sums(const RowFactors<T>& factors, const RowRange& range, int count, int lane,
                         const Read& read, const Settle& settle, T (&sum)[Columns]) {
  constexpr int rounds = Columns == 1 ? 4 : 2;
#pragma unroll
  for (int c = 0; c < Columns; ++c) sum[c] = T(0);
  for (Offset base = range.begin + lane; base < range.end; base += rounds * 32) {
    Index column[rounds];
    T value[rounds];
    double x[rounds][Columns];
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      const bool inside = base + r * 32 < range.end;
      column[r] = inside ? factors.col_idx[base + r * 32] : -1;
      value[r] = inside ? factors.values[base + r * 32] : T(0);
    }
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int c = 0; c < Columns; ++c) {
        x[r][c] = column[r] >= 0 && c < count ? read(column[r], c) : 0.0;
      }
    }
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int c = 0; c < Columns; ++c) {
        if (column[r] < 0 || c >= count) continue;
        sum[c] += value[r] * static_cast<T>(settle(column[r], c, x[r][c]));
      }
    }
  }
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    if (c < count) sum[c] = warp_sum(sum[c]);
  }
}

}  // namespace lufact::gpu
