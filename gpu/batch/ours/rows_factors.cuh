// SPDX-License-Identifier: BSD-3-Clause
// Blocked LU factorization with partial pivoting, rows staying where they are ("lazy"): lanes
// remember to which position each row was moved. Panels of four columns are eliminated in registers
// with what shuffles bring of the pivot rows; behind them every row takes w * B, where B are the
// four pivot rows as they were before the panel, which shared memory hands to all lanes at once,
// and w = l inv(L11) the row's multipliers l, L11 the panel's unit lower triangle.
#pragma once
#include "gpu/batch/ours/rows_matrix.cuh"

namespace lufact::gpu::ours {

template <class Lanes, class Real, int N, int R, int G>
struct RowsFactors : RowsMatrix<Lanes, Real, N, R, G> {
  using Base = RowsMatrix<Lanes, Real, N, R, G>;
  using Shape = typename Base::Shape;
  using Base::a, Base::position, Base::finished, Base::lane, Base::vector;

  // `panel`: the group's part of RowsShape::panel_bytes; `pivots`: N numbers, from 1.
  LUFACT_LANE void factor(Real* panel, std::int32_t* pivots) {
    LUFACT_UNROLL
    for (int first = 0; first < N; first += panel_columns) {
      int slot[R];  // which pivot of the panel the row is; -1: none
      Real multiplier[R][panel_columns];
      LUFACT_UNROLL
      for (int r = 0; r < R; ++r) slot[r] = -1;
      LUFACT_UNROLL
      for (int t = 0; t < panel_columns; ++t) {
        if (first + t < N - 1) eliminate(first, t, slot, multiplier, pivots);
        if (first + t == N - 1) last_pivot(pivots);
      }
      if (first + panel_columns < N) {
        this->share_pivot_rows(first / vector, slot, panel);
        fold_triangle(first, panel, multiplier);
        update(first + panel_columns, panel, multiplier);
      }
    }
  }

  // Row by row to its position, over the matrix that was read.
  LUFACT_LANE void write(Real* matrix) const {
    LUFACT_UNROLL
    for (int c = 0; c < N; ++c) {
      LUFACT_UNROLL
      for (int r = 0; r < R; ++r) {
        if (this->exists(r)) matrix[c * N + position[r]] = a[r][c];
      }
    }
  }

 private:
  // Column first + t of the panel.
  LUFACT_LANE void eliminate(int first, int t, int (&slot)[R], Real (&multiplier)[R][panel_columns],
                             std::int32_t* pivots) {
    const int k = first + t;
    Real column[R];
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) column[r] = a[r][k];
    const PivotStep<Real> step = this->find(column, k);
    Real u[panel_columns];
    LUFACT_UNROLL
    for (int s = t + 1; s < panel_columns; ++s) {
      if (first + s < N) u[s] = this->of_pivot_row(step, first + s);
    }
    if (lane == 0) pivots[k] = step.from + 1;
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      slot[r] = this->is_pivot(step, r) ? t : slot[r];
      this->move(step, k, r);
      const bool below = finished[r] == 0;
      const Real l = below ? a[r][k] * step.reciprocal : Real(0);
      a[r][k] = below ? l : a[r][k];
      multiplier[r][t] = l;
      LUFACT_UNROLL
      for (int s = t + 1; s < panel_columns; ++s) {
        if (first + s < N) a[r][first + s] = multiply_add(-l, u[s], a[r][first + s]);
      }
    }
  }

  // One row is left: nothing to search or to eliminate.
  LUFACT_LANE void last_pivot(std::int32_t* pivots) {
    std::int32_t key = 0;
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      if (finished[r] != 0) continue;
      key = key_of_value(a[r][N - 1]);
      this->scale[r] = quick_reciprocal(a[r][N - 1]);
    }
    key = Lanes::template largest<G>(key);
    this->smallest_pivot = key < this->smallest_pivot ? key : this->smallest_pivot;
    if (lane == 0) pivots[N - 1] = N;
  }

  // l becomes l inv(L11).
  LUFACT_LANE void fold_triangle(int first, const Real* panel,
                                 Real (&multiplier)[R][panel_columns]) const {
    LUFACT_UNROLL
    for (int s = panel_columns - 1; s > 0; --s) {
      const Real* row = panel + s * Shape::row_stride + first;
      LUFACT_UNROLL
      for (int q = 0; q * vector < s; ++q) {
        const Vector<Real> lower = load_vector(row + q * vector);
        LUFACT_UNROLL
        for (int e = 0; e < vector; ++e) {
          const int t = q * vector + e;
          if (t < s) {
            LUFACT_UNROLL
            for (int r = 0; r < R; ++r) {
              multiplier[r][t] = multiply_add(-multiplier[r][s], lower.entry[e], multiplier[r][t]);
            }
          }
        }
      }
    }
  }

  // Columns from `next` on.
  LUFACT_LANE void update(int next, const Real* panel, const Real (&multiplier)[R][panel_columns]) {
    LUFACT_UNROLL
    for (int q = next / vector; q < Shape::vectors; ++q) {
      Vector<Real> u[panel_columns];
      LUFACT_UNROLL
      for (int t = 0; t < panel_columns; ++t) {
        u[t] = load_vector(panel + t * Shape::row_stride + q * vector);
      }
      LUFACT_UNROLL
      for (int e = 0; e < vector; ++e) {
        const int c = q * vector + e;
        if (c < N) {
          LUFACT_UNROLL
          for (int t = 0; t < panel_columns; ++t) {
            LUFACT_UNROLL
            for (int r = 0; r < R; ++r) {
              a[r][c] = multiply_add(-multiplier[r][t], u[t].entry[e], a[r][c]);
            }
          }
        }
      }
    }
  }
};

}  // namespace lufact::gpu::ours
