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
  const Offset first = Lanes::warp_of_launch() * lanes_per_warp;
  if (first >= arguments.count) return;
  const bool present = first + Lanes::lane() < arguments.count;
  const Offset k = present ? first + Lanes::lane() : first;
  const bool contiguous = arguments.layout == static_cast<std::int32_t>(ArrayLayout::contiguous);
  ThreadStage<Lanes, Real, N> stage(shared, first, arguments.count);
  Real a[N * N];
  std::int32_t pivots[N];
  stage.load(a, global_matrix<Real, Lanes>(arguments.a, arguments, k, arguments.ld, N), contiguous);
  const int info = thread_factors<Real, N>(a, pivots);
  if (!present) return;
  const GlobalMatrix<Real> b =
      global_matrix<Real, Lanes>(arguments.b, arguments, k, N, arguments.rhs);
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
  arguments.info[k] = info;
  if (arguments.pivots != nullptr) store_pivots<Real, N>(arguments.pivots + k * N, pivots);
}

}  // namespace lufact::gpu::ours
