// SPDX-License-Identifier: BSD-3-Clause
// `inverse-thread`: inversion of a batch, a matrix a thread, by Gauss-Jordan elimination with
// partial pivoting in the place of the matrix.
#pragma once
#include <limits>

#include "gpu/batch/ours/row_scales.cuh"
#include "gpu/batch/ours/thread_lu.cuh"

namespace lufact::gpu::ours {

// The keys of the rows' largest entries.
template <class Real, int N>
struct RowKeys {
  std::int32_t key[N];

  LUFACT_LANE explicit RowKeys(const Real (&a)[N * N]) {
    LUFACT_UNROLL
    for (int i = 0; i < N; ++i) {
      key[i] = key_of_value(a[i]);
      LUFACT_UNROLL
      for (int j = 1; j < N; ++j) {
        const std::int32_t other = key_of_value(a[j * N + i]);
        key[i] = key[i] > other ? key[i] : other;
      }
    }
  }
  LUFACT_LANE bool differ() const {
    std::int32_t largest = key[0], smallest = key[0];
    LUFACT_UNROLL
    for (int i = 1; i < N; ++i) {
      largest = largest > key[i] ? largest : key[i];
      smallest = smallest < key[i] ? smallest : key[i];
    }
    return rows_differ<Real>(largest, smallest);
  }
  // Of row `i`, which is no constant: registers have no addresses.
  LUFACT_LANE Real scale_of(int i) const {
    std::int32_t chosen = key[0];
    LUFACT_UNROLL
    for (int other = 1; other < N; ++other) chosen = i == other ? key[other] : chosen;
    return row_scale<Real>(chosen);
  }
};

// The inverse of A with its rows exchanged, in the place of A; so column j of it is column
// origin[j] of the inverse of A. Returns info.
template <class Real, int N>
LUFACT_LANE int thread_gauss_jordan(Real (&a)[N * N], std::int32_t (&pivots)[N],
                                    std::int32_t (&origin)[N]) {
  int info = 0;
  Real scale[N];  // 1 / pivot of each row, which it gets at the end
  LUFACT_UNROLL
  for (int i = 0; i < N; ++i) origin[i] = i;
  LUFACT_UNROLL
  for (int k = 0; k < N; ++k) {
    const int row = pivot_row<Real, N>(a, k);
    pivots[k] = row + 1;
    exchange_rows<Real, N>(a, k, row);
    LUFACT_UNROLL
    for (int i = k + 1; i < N; ++i) {
      const int upper = origin[k], lower = origin[i];
      origin[k] = i == row ? lower : upper;
      origin[i] = i == row ? upper : lower;
    }
    const bool zero = a[k * N + k] == 0;
    info = zero && info == 0 ? k + 1 : info;
    const ScaledReciprocal<Real> reciprocal(a[k * N + k]);
    scale[k] = reciprocal.times(Real(1));
    LUFACT_UNROLL
    for (int i = 0; i < N; ++i) {
      if (i == k) continue;
      const Real l = reciprocal.times(a[k * N + i]);
      LUFACT_UNROLL
      for (int j = 0; j < N; ++j) {
        if (j != k) a[j * N + i] = multiply_add(-l, a[j * N + k], a[j * N + i]);
      }
      a[k * N + i] = -l;
    }
    a[k * N + k] = 1;
  }
  LUFACT_UNROLL
  for (int j = 0; j < N; ++j) {
    LUFACT_UNROLL
    for (int i = 0; i < N; ++i) a[j * N + i] *= scale[i];
  }
  return info;
}

// The same for any A: one whose rows differ widely is equilibrated.
template <class Real, int N>
LUFACT_LANE int thread_inverted(Real (&a)[N * N], std::int32_t (&pivots)[N],
                                std::int32_t (&origin)[N]) {
  const RowKeys<Real, N> rows(a);
  const bool unlike = rows.differ();
  if (unlike) {
    LUFACT_UNROLL
    for (int e = 0; e < N * N; ++e) a[e] *= row_scale<Real>(rows.key[e % N]);
  }
  const int info = thread_gauss_jordan<Real, N>(a, pivots, origin);
  if (unlike) {
    LUFACT_UNROLL
    for (int j = 0; j < N; ++j) {
      const Real factor = rows.scale_of(origin[j]);
      LUFACT_UNROLL
      for (int i = 0; i < N; ++i) a[j * N + i] *= factor;
    }
  }
  return info;
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
  const int info = thread_inverted<Real, N>(a, pivots, origin);
  if (info != 0) {
    LUFACT_UNROLL
    for (int e = 0; e < N * N; ++e) a[e] = std::numeric_limits<Real>::quiet_NaN();
  }
  task.store_result(a, ColumnOrigin<N>{origin});
  task.store_numbers(info, pivots);
}

}  // namespace lufact::gpu::ours
