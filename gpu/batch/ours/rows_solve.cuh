// SPDX-License-Identifier: BSD-3-Clause
// `solve`: A x = b for a batch with 1 to N right-hand sides, in one launch: the factors stay in
// registers, one entry of every right-hand side is in the lane of its row. A is not written.
#pragma once
#include <limits>

#include "gpu/batch/ours/careful_factors.cuh"
#include "gpu/batch/ours/rows_factors.cuh"

namespace lufact::gpu::ours {

// For all lanes of a group; `row` is the same in them.
template <class Lanes, int R, int G, class Real>
LUFACT_LANE Real entry_of_row(const Real (&x)[R], int row) {
  Real entry = x[0];
  LUFACT_UNROLL
  for (int r = 1; r < R; ++r) entry = row / G == r ? x[r] : entry;
  return Lanes::template shuffle<G>(entry, row % G);
}

// x := A^-1 x, row r of the lane in x[r]. `row_of`: N numbers, the row (lane + r * G) that stands
// at each position.
template <class Lanes, class Real, int N, int R, int G>
LUFACT_LANE void solve_rows(const RowsFactors<Lanes, Real, N, R, G>& factors,
                            const std::int32_t* row_of, Real (&x)[R]) {
  int position[R];
  LUFACT_UNROLL
  for (int r = 0; r < R; ++r) position[r] = Lanes::computed_anew(factors.position[r]);
  LUFACT_UNROLL
  for (int k = 0; k < N - 1; ++k) {
    const Real y = entry_of_row<Lanes, R, G>(x, row_of[k]);
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      const Real l = position[r] > k ? factors.a[r][k] : Real(0);
      x[r] = multiply_add(-l, y, x[r]);
    }
  }
  Lanes::sync();  // so that row_of is read again, not held in N registers
  LUFACT_UNROLL
  for (int k = N - 1; k >= 0; --k) {
    Real quotient[R];
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) quotient[r] = x[r] * factors.scale[r];
    const Real value = entry_of_row<Lanes, R, G>(quotient, row_of[k]);
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      const Real u = position[r] < k ? factors.a[r][k] : Real(0);
      x[r] = position[r] == k ? value : multiply_add(-u, value, x[r]);
    }
  }
}

// With what careful_factors() left, `x` being N entries of shared memory. All lanes call it.
template <class Lanes, class Real, int N, int G>
LUFACT_LANE void careful_solve(const Real* matrix, const std::int32_t* pivots, Real* x,
                               bool wanted) {
  const int lane = Lanes::lane() % G;
  for (int k = 0; wanted && lane == 0 && k < N; ++k) {
    const Real entry = x[k];
    x[k] = x[pivots[k] - 1];
    x[pivots[k] - 1] = entry;
  }
  Lanes::sync();
  LUFACT_ROLL
  for (int k = 0; k < N; ++k) {
    LUFACT_ROLL
    for (int i = k + 1 + lane; wanted && i < N; i += G) x[i] -= matrix[k * N + i] * x[k];
    Lanes::sync();
  }
  LUFACT_ROLL
  for (int k = N - 1; k >= 0; --k) {
    if (wanted && lane == 0) x[k] /= matrix[k * N + k];
    Lanes::sync();
    LUFACT_ROLL
    for (int i = lane; wanted && i < k; i += G) x[i] -= matrix[k * N + i] * x[k];
    Lanes::sync();
  }
}

template <class Lanes, class Real, int N, int R, int G>
LUFACT_LANE void rows_solve(const BatchKernelArguments& arguments, char* shared) {
  using Task = RowsTask<Lanes, Real, N, R, G>;
  if (!Task::warp_has_work(arguments)) return;
  Task task(arguments, shared);

  RowsFactors<Lanes, Real, N, R, G> factors;
  std::int32_t* pivots = task.numbers;
  std::int32_t* row_of = pivots + N;
  factors.read(task.staged.matrix(), task.staged.lane());
  factors.factor(task.panel, pivots);
  // Lanes without a matrix, or with one that needs care, may have found no pivots: their positions
  // are then no permutation.
  const bool careful = factors.needs_care() && task.present;
  const bool placed = task.present && !careful;
  LUFACT_UNROLL
  for (int r = 0; r < R; ++r) {
    const int own = factors.lane + r * G;
    if (factors.exists(r)) row_of[placed ? factors.position[r] : own] = own;
  }
  Lanes::sync();
  int info = 0;
  const bool any_careful = Lanes::any(careful);
  if (any_careful) {
    const int exact = careful_factors<Lanes, Real, N, G>(task.staged.matrix(), pivots, careful);
    info = careful ? exact : info;
  }

  const GlobalMatrix<Real> b =
      global_matrix<Real, Lanes>(arguments.b, arguments, task.k, N, arguments.rhs);
  LUFACT_ROLL
  for (int c = 0; c < arguments.rhs; ++c) {
    Real x[R];
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      const bool there = task.present && factors.exists(r);
      x[r] = there ? b.at(factors.lane + r * G, c) : Real(0);
    }
    if (any_careful) {
      LUFACT_UNROLL
      for (int r = 0; r < R; ++r) {
        if (factors.exists(r)) task.panel[factors.lane + r * G] = x[r];
      }
      Lanes::sync();
      careful_solve<Lanes, Real, N, G>(task.staged.matrix(), pivots, task.panel, careful);
    }
    solve_rows<Lanes, Real, N, R, G>(factors, row_of, x);
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      if (!task.present || !factors.exists(r)) continue;
      const int row = careful ? factors.lane + r * G : factors.position[r];
      const Real value = careful ? task.panel[row] : x[r];
      b.at(row, c) = info == 0 ? value : std::numeric_limits<Real>::quiet_NaN();
    }
    Lanes::sync();
  }
  task.store_numbers(info, pivots);
}

}  // namespace lufact::gpu::ours
