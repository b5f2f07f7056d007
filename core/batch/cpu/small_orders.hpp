// SPDX-License-Identifier: BSD-3-Clause
// LU factorization of matrices of small orders, each number of an entry in a register or at a place
// of the stack that is known to the compiler.
#pragma once
#include "core/batch/cpu/elimination.hpp"

namespace lufact {
namespace {

constexpr Index largest_small_order = 8;

// A group of matrices of order N: entry (i, j) is a[j * N + i].
template <class L, int N>
struct SmallGroup {
  using Vector = typename L::Vector;
  using Mask = typename L::Mask;
  Vector a[N * N];
  Mask pivots[N];   // as Places
  Mask no_inverse;  // lanes with a pivot that must not be divided by through its reciprocal

  static constexpr Mask place_of(int row) { return lane_numbers<L>() + row * L::count; }

  // The first of the largest of rows k to N; a NaN only where it is the first.
  template <int k>
  Mask find_pivots() const {
    Vector largest = magnitude<L>(a[k * N + k]);
    Mask place = place_of(k);
#pragma GCC unroll 8
    for (int i = k + 1; i < N; ++i) {
      const Vector size = magnitude<L>(a[k * N + i]);
      const Mask is_larger = size > largest;
      largest = is_larger ? size : largest;
      place = is_larger ? place_of(i) : place;
    }
    return place;
  }

  // Exchanges row k with the pivot's in all columns.
  template <int k>
  void exchange_rows() {
#pragma GCC unroll 8
    for (int j = 0; j < N; ++j) {
      Vector* const column = a + j * N;
      const Vector old_value = column[k];
      Vector new_value = old_value;
#pragma GCC unroll 8
      for (int i = k + 1; i < N; ++i) {
        const Mask here = pivots[k] == place_of(i);
        new_value = here ? column[i] : new_value;
        column[i] = here ? old_value : column[i];
      }
      column[k] = new_value;
    }
  }

  template <int k>
  void eliminate() {
    pivots[k] = find_pivots<k>();
    exchange_rows<k>();
    const Vector pivot = a[k * N + k];
    no_inverse |= ~(magnitude<L>(pivot) >= Vector{} + L::least_normal);
    const Vector reciprocal = (Vector{} + typename L::Real{1}) / pivot;
#pragma GCC unroll 8
    for (int i = k + 1; i < N; ++i) a[k * N + i] *= reciprocal;
#pragma GCC unroll 8
    for (int j = k + 1; j < N; ++j) {
#pragma GCC unroll 8
      for (int i = k + 1; i < N; ++i) a[j * N + i] -= a[k * N + i] * a[j * N + k];
    }
  }

  template <int... k>
  void eliminate_all(std::integer_sequence<int, k...>) {
    (eliminate<k>(), ...);
  }
};

// PA = LU of every lane with the bits of factor(). False, and nothing is written, where a lane has
// a pivot without a reciprocal: those factor() can do.
template <class L, int N>
bool factor_order(typename L::Real* panel, Places<L>* places, std::int32_t* info) {
  static_assert(panel_stride(N) == N);
  SmallGroup<L, N> group;
#pragma GCC unroll 64
  for (int p = 0; p < N * N; ++p) group.a[p] = vector_at<L>(panel, p);
  group.no_inverse = typename L::Mask{};
  group.eliminate_all(std::make_integer_sequence<int, N>{});
  if (any<L>(group.no_inverse)) return false;
#pragma GCC unroll 64
  for (int p = 0; p < N * N; ++p) vector_at<L>(panel, p) = group.a[p];
#pragma GCC unroll 8
  for (int k = 0; k < N; ++k) {
    *reinterpret_cast<typename L::Mask*>(places + k * L::count) = group.pivots[k];
  }
  for (int lane = 0; lane < L::count; ++lane) info[lane] = 0;
  return true;
}

// factor_order() of order n; false, too, where n is no small order.
template <class L, int N = 1>
bool factor_small(typename L::Real* panel, Index n, Places<L>* places, std::int32_t* info) {
  if (n == N) return factor_order<L, N>(panel, places, info);
  if constexpr (N < largest_small_order) return factor_small<L, N + 1>(panel, n, places, info);
  return false;
}

}  // namespace
}  // namespace lufact
