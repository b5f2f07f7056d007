// SPDX-License-Identifier: BSD-3-Clause
// `thread`: LU factorization of a batch, a matrix a thread, all of it in registers. Since registers
// have no addresses, rows are exchanged by choosing between each row and the pivot's place.
#pragma once
#include <cmath>

#include "gpu/batch/ours/magnitude_key.cuh"
#include "gpu/batch/ours/reciprocal.cuh"
#include "gpu/batch/ours/thread_stage.cuh"

namespace lufact::gpu::ours {

// 1 / pivot as reciprocal * scale, neither of which leaves the normal range.
template <class Real>
struct ScaledReciprocal {
  Real scale, reciprocal;

  LUFACT_LANE explicit ScaledReciprocal(Real pivot) {
    constexpr int large = sizeof(Real) == 8 ? 900 : 100;
    constexpr Real up = static_cast<Real>(sizeof(Real) == 8 ? 0x1p200 : 0x1p60);
    constexpr Real down = static_cast<Real>(sizeof(Real) == 8 ? 0x1p-200 : 0x1p-60);
    constexpr std::int32_t infinite = sizeof(Real) == 8 ? 0x7ff00000 : 0x7f800000;
    const std::int32_t key = key_of_value(pivot);
    scale = key < key_of_power<Real>(-large)  ? up
            : key > key_of_power<Real>(large) ? down
                                              : Real(1);
    reciprocal = quick_reciprocal(pivot * scale);
    // Newton's iteration makes a NaN of a pivot that is zero or infinite; nothing is scaled by
    // zero.
    if (pivot == 0 || key >= infinite) reciprocal = pivot == pivot ? Real(0) : pivot;
  }
  LUFACT_LANE Real times(Real value) const { return value * scale * reciprocal; }
};

// The row of the pivot of column k, as IDAMAX finds it: the first of the largest, a NaN only in k.
template <class Real, int N>
LUFACT_LANE int pivot_row(const Real (&a)[N * N], int k) {
  Real largest = std::fabs(a[k * N + k]);
  int row = k;
  LUFACT_UNROLL
  for (int i = k + 1; i < N; ++i) {
    const Real size = std::fabs(a[k * N + i]);
    const bool larger = size > largest;
    row = larger ? i : row;
    largest = larger ? size : largest;
  }
  return row;
}

template <class Real, int N>
LUFACT_LANE void exchange_rows(Real (&a)[N * N], int k, int row) {
  LUFACT_UNROLL
  for (int i = k + 1; i < N; ++i) {
    const bool chosen = i == row;
    LUFACT_UNROLL
    for (int j = 0; j < N; ++j) {
      const Real upper = a[j * N + k], lower = a[j * N + i];
      a[j * N + k] = chosen ? lower : upper;
      a[j * N + i] = chosen ? upper : lower;
    }
  }
}

// Returns info.
template <class Real, int N>
LUFACT_LANE int thread_factors(Real (&a)[N * N], std::int32_t (&pivots)[N]) {
  int info = 0;
  LUFACT_UNROLL
  for (int k = 0; k < N; ++k) {
    const int row = pivot_row<Real, N>(a, k);
    pivots[k] = row + 1;
    exchange_rows<Real, N>(a, k, row);
    const bool zero = a[k * N + k] == 0;
    info = zero && info == 0 ? k + 1 : info;
    const ScaledReciprocal<Real> reciprocal(a[k * N + k]);
    LUFACT_UNROLL
    for (int i = k + 1; i < N; ++i) a[k * N + i] = reciprocal.times(a[k * N + i]);
    LUFACT_UNROLL
    for (int j = k + 1; j < N; ++j) {
      LUFACT_UNROLL
      for (int i = k + 1; i < N; ++i) {
        a[j * N + i] = multiply_add(-a[k * N + i], a[j * N + k], a[j * N + i]);
      }
    }
  }
  return info;
}

template <class Lanes, class Real, int N>
LUFACT_LANE void thread_lu(const BatchKernelArguments& arguments, char* shared) {
  using Task = ThreadTask<Lanes, Real, N>;
  if (!Task::warp_has_work(arguments)) return;
  Task task(arguments, shared);
  Real a[N * N];
  std::int32_t pivots[N];
  task.load(a);
  const int info = thread_factors<Real, N>(a, pivots);
  task.store_result(a, OwnColumn{});
  task.store_numbers(info, pivots);
}

}  // namespace lufact::gpu::ours
