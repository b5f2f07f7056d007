// SPDX-License-Identifier: BSD-3-Clause
// One row of a triangular solve by one warp: device components shared by the solve methods.
#pragma once
#include "gpu/solve/triangular_solve.hpp"

namespace lufact::gpu {

// The right-hand sides of one pass: `count` columns of length n, one after another.
struct RhsRef {
  double* x;
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

// Positions of the strict part of a row and what a row is divided by.
template <Triangle triangle, class T>
struct TriangleRow {
  Offset begin, end;
  T divisor;

  __device__ TriangleRow(const RowFactors<T>& factors, Index row) {
    const Offset diagonal = factors.diagonal[row];
    if constexpr (triangle == Triangle::lower) {
      begin = factors.row_ptr[row];
      end = diagonal;
      divisor = T(1);
    } else {
      begin = diagonal + 1;
      end = factors.row_ptr[row + 1];
      divisor = factors.values[diagonal];
    }
  }
};

// x(row, :) := (x(row, :) - sum_j T(row, j) x(j, :)) / divisor. Lane l takes the entries l, l + 32,
// ...; `wait(j)` returns once x(j, :) may be read by this lane. Lane 0 writes.
template <Triangle triangle, int Columns, class T, class Wait>
__device__ void solve_row(const RowFactors<T>& factors, Index row, const RhsRef& rhs, int lane,
                          const Wait& wait) {
  const TriangleRow<triangle, T> entries(factors, row);
  T sum[Columns] = {};
  for (Offset p = entries.begin + lane; p < entries.end; p += 32) {
    const Index j = factors.col_idx[p];
    const T value = factors.values[p];
    wait(j);
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      if (c < rhs.count) sum[c] += value * static_cast<T>(rhs.x[j + c * rhs.n]);
    }
  }
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    if (c >= rhs.count) break;
    const T total = warp_sum(sum[c]);
    if (lane != 0) continue;
    double& x = rhs.x[row + c * rhs.n];
    x = static_cast<double>((static_cast<T>(x) - total) / entries.divisor);
  }
}

}  // namespace lufact::gpu
