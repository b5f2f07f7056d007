// SPDX-License-Identifier: BSD-3-Clause
// `solve` with a matrix a thread: factors and one right-hand side at a time in registers.
#pragma once
#include <limits>

#include "gpu/batch/ours/thread_lu.cuh"

namespace lufact::gpu::ours {

// x := A^-1 x.
template <class Lanes, class Real, int N>
LUFACT_LANE void thread_substitution(const Real (&a)[N * N], const std::int32_t (&pivots)[N],
                                     Real (&x)[N]) {
  LUFACT_UNROLL
  for (int k = 0; k < N; ++k) {
    const int row = Lanes::computed_anew(pivots[k]) - 1;
    LUFACT_UNROLL
    for (int i = k + 1; i < N; ++i) {
      const bool chosen = i == row;
      const Real upper = x[k], lower = x[i];
      x[k] = chosen ? lower : upper;
      x[i] = chosen ? upper : lower;
    }
  }
  LUFACT_UNROLL
  for (int k = 0; k < N; ++k) {
    LUFACT_UNROLL
    for (int i = k + 1; i < N; ++i) x[i] = multiply_add(-a[k * N + i], x[k], x[i]);
  }
  LUFACT_UNROLL
  for (int k = N - 1; k >= 0; --k) {
    x[k] = ScaledReciprocal<Real>(a[k * N + k]).times(x[k]);
    LUFACT_UNROLL
    for (int i = 0; i < k; ++i) x[i] = multiply_add(-a[k * N + i], x[k], x[i]);
  }
}

template <class Lanes, class Real, int N>
LUFACT_LANE void thread_solve(const BatchKernelArguments& arguments, char* shared) {
  using Task = ThreadTask<Lanes, Real, N>;
  if (!Task::warp_has_work(arguments)) return;
  Task task(arguments, shared);
  Real a[N * N];
  std::int32_t pivots[N];
  task.load(a);
  const int info = thread_factors<Real, N>(a, pivots);
  if (!task.present) return;
  const GlobalMatrix<Real> b =
      global_matrix<Real, Lanes>(arguments.b, arguments, task.k, N, arguments.rhs);
  LUFACT_ROLL
  for (int c = 0; c < arguments.rhs; ++c) {
    Real x[N];
    LUFACT_UNROLL
    for (int i = 0; i < N; ++i) x[i] = b.at(i, c);
    thread_substitution<Lanes, Real, N>(a, pivots, x);
    LUFACT_UNROLL
    for (int i = 0; i < N; ++i) {
      b.at(i, c) = info == 0 ? x[i] : std::numeric_limits<Real>::quiet_NaN();
    }
  }
  task.store_numbers(info, pivots);
}

}  // namespace lufact::gpu::ours
