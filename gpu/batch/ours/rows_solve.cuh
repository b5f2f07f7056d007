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
  using Shape = RowsShape<Real, N, R, G>;
  const Offset first = Lanes::warp_of_launch() * Shape::matrices;
  if (first >= arguments.count) return;
  const RowsMemory<Lanes, Real, N, G> memory(shared);
  StagedMatrix<Lanes, Real, N, G> staged(memory.stage, memory.barrier);
  const bool present = first + staged.group() < arguments.count;
  const Offset k = present ? first + staged.group() : first;
  staged.load(global_matrix<Real, Lanes>(arguments.a, arguments, k, arguments.ld, N), present);

  RowsFactors<Lanes, Real, N, R, G> factors;
  Real* panel = reinterpret_cast<Real*>(memory.panels) + staged.group() * Shape::panel_stride;
  std::int32_t* pivots = memory.numbers + staged.group() * 2 * N;
  std::int32_t* row_of = pivots + N;
  factors.read(staged.matrix(), staged.lane());
  factors.factor(panel, pivots);
  LUFACT_UNROLL
  for (int r = 0; r < R; ++r) {
    if (factors.exists(r)) row_of[factors.position[r]] = factors.lane + r * G;
  }
  Lanes::sync();
  const bool careful = factors.needs_care() && present;
  int info = 0;
  const bool any_careful = Lanes::any(careful);
  if (any_careful) {
    const int exact = careful_factors<Lanes, Real, N, G>(staged.matrix(), pivots, careful);
    info = careful ? exact : info;
  }

  const GlobalMatrix<Real> b =
      global_matrix<Real, Lanes>(arguments.b, arguments, k, N, arguments.rhs);
  LUFACT_ROLL
  for (int c = 0; c < arguments.rhs; ++c) {
    Real x[R];
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      const bool there = present && factors.exists(r);
      x[r] = there ? b.at(factors.lane + r * G, c) : Real(0);
    }
    if (any_careful) {
      LUFACT_UNROLL
      for (int r = 0; r < R; ++r) {
        if (factors.exists(r)) panel[factors.lane + r * G] = x[r];
      }
      Lanes::sync();
      careful_solve<Lanes, Real, N, G>(staged.matrix(), pivots, panel, careful);
    }
    solve_rows<Lanes, Real, N, R, G>(factors, row_of, x);
    LUFACT_UNROLL
    for (int r = 0; r < R; ++r) {
      if (!present || !factors.exists(r)) continue;
      const Real value = careful ? panel[factors.position[r]] : x[r];
      b.at(factors.position[r], c) = info == 0 ? value : std::numeric_limits<Real>::quiet_NaN();
    }
    Lanes::sync();
  }
  if (!present) return;
  if (staged.lane() == 0) arguments.info[k] = info;
  if (arguments.pivots == nullptr) return;
  LUFACT_UNROLL
  for (int i = staged.lane(); i < N; i += G) arguments.pivots[k * N + i] = pivots[i];
}

}  // namespace lufact::gpu::ours
