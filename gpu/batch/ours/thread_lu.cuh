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

template <class Real, int N>
LUFACT_LANE void store_pivots(std::int32_t* target, const std::int32_t (&pivots)[N]) {
  constexpr int length = N % 4 == 0 ? 4 : N % 2 == 0 ? 2 : 1;
  if (reinterpret_cast<std::uintptr_t>(target) % (4 * length) == 0) {
    struct alignas(4 * length) Numbers {
      std::int32_t number[length];
    };
    LUFACT_UNROLL
    for (int i = 0; i < N; i += length) {
      Numbers numbers;
      LUFACT_UNROLL
      for (int e = 0; e < length; ++e) numbers.number[e] = pivots[i + e];
      *reinterpret_cast<Numbers*>(target + i) = numbers;
    }
  } else {
    LUFACT_UNROLL
    for (int i = 0; i < N; ++i) target[i] = pivots[i];
  }
}

template <class Lanes, class Real, int N>
LUFACT_LANE void thread_lu(const BatchKernelArguments& arguments, char* shared) {
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
  stage.store(a, OwnColumn{},
              global_matrix<Real, Lanes>(arguments.result, arguments, k, arguments.ld, N),
              contiguous, present);
  if (!present) return;
  arguments.info[k] = info;
  store_pivots<Real, N>(arguments.pivots + k * N, pivots);
}

}  // namespace lufact::gpu::ours
