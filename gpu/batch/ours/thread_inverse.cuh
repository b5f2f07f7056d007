// SPDX-License-Identifier: BSD-3-Clause
// `inverse-thread`: inversion of a batch, a matrix a thread: LU factorization, and both
// substitutions for all columns of the identity at once, in the place of the factors. This takes
// as many operations as elimination in place, and its residual is small for every matrix.
#pragma once
#include <limits>

#include "gpu/batch/ours/thread_lu.cuh"

namespace lufact::gpu::ours {

// The rows of A from which elimination with these exchanges took its pivots.
template <int N>
LUFACT_LANE void rows_of_pivots(const std::int32_t (&pivots)[N], std::int32_t (&origin)[N]) {
  LUFACT_UNROLL
  for (int i = 0; i < N; ++i) origin[i] = i;
  LUFACT_UNROLL
  for (int k = 0; k < N; ++k) {
    LUFACT_UNROLL
    for (int i = k + 1; i < N; ++i) {
      const bool chosen = pivots[k] == i + 1;
      const int upper = origin[k], lower = origin[i];
      origin[k] = chosen ? lower : upper;
      origin[i] = chosen ? upper : lower;
    }
  }
}

// inv(U) inv(L) in the place of the factors. Rows of U are divided by their pivots first: their
// sizes may differ by more than the range of numbers, and products with a row as it is overflow.
template <class Real, int N>
LUFACT_LANE void substitute_identity(Real (&a)[N * N]) {
  LUFACT_UNROLL
  for (int i = 1; i < N; ++i) {
    LUFACT_UNROLL
    for (int j = 0; j < i; ++j) {
      Real sum = a[j * N + i];
      LUFACT_UNROLL
      for (int k = j + 1; k < i; ++k) sum = multiply_add(a[k * N + i], a[j * N + k], sum);
      a[j * N + i] = -sum;
    }
  }
  LUFACT_UNROLL
  for (int i = N - 1; i >= 0; --i) {
    const ScaledReciprocal<Real> reciprocal(a[i * N + i]);
    Real row[N];
    LUFACT_UNROLL
    for (int k = i + 1; k < N; ++k) row[k] = reciprocal.times(a[k * N + i]);
    LUFACT_UNROLL
    for (int j = 0; j < N; ++j) {
      const Real y = j < i ? a[j * N + i] : (j == i ? Real(1) : Real(0));
      Real x = reciprocal.times(y);
      LUFACT_UNROLL
      for (int k = i + 1; k < N; ++k) x = multiply_add(-row[k], a[j * N + k], x);
      a[j * N + i] = x;
    }
  }
}

template <int N>
struct ColumnOrigin {
  const std::int32_t (&origin)[N];
  LUFACT_LANE int operator()(int j) const { return origin[j]; }
};

template <class Lanes, class Real, int N>
LUFACT_LANE void thread_inverse(const BatchKernelArguments& arguments, char* shared) {
  using Task = ThreadTask<Lanes, Real, N>;
  if (!Task::warp_has_work(arguments)) return;
  Task task(arguments, shared);
  Real a[N * N];
  std::int32_t pivots[N], origin[N];
  task.load(a);
  const int info = thread_factors<Real, N>(a, pivots);
  rows_of_pivots<N>(pivots, origin);
  substitute_identity<Real, N>(a);
  if (info != 0) {
    LUFACT_UNROLL
    for (int e = 0; e < N * N; ++e) a[e] = std::numeric_limits<Real>::quiet_NaN();
  }
  task.store_result(a, ColumnOrigin<N>{origin});
  task.store_numbers(info, pivots);
}

}  // namespace lufact::gpu::ours
