// SPDX-License-Identifier: BSD-3-Clause
// Vectors with one matrix a lane. This header and those that include it are compiled once for each
// instruction set: everything is in an unnamed namespace and nothing comes from inline functions of
// other headers, so that no code for a wide machine gets into what a narrow one runs.
#pragma once
#ifndef LUFACT_CPU_VECTOR_BYTES
#error "LUFACT_CPU_VECTOR_BYTES is the width of vectors"
#endif
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/types.hpp"

namespace lufact {
namespace {

struct FloatLanes {
  using Real = float;
  using Integer = std::int32_t;
  typedef Integer Bits __attribute__((may_alias));
  typedef float Vector __attribute__((vector_size(LUFACT_CPU_VECTOR_BYTES), may_alias));
  typedef Integer Mask __attribute__((vector_size(LUFACT_CPU_VECTOR_BYTES), may_alias));
  typedef float Anywhere
      __attribute__((vector_size(LUFACT_CPU_VECTOR_BYTES), may_alias, aligned(4)));
  static constexpr Integer magnitude_bits = 0x7fffffff;
  static constexpr Real least_normal = 0x1.0p-126F;
  static constexpr int count = LUFACT_CPU_VECTOR_BYTES / 4;
};

struct DoubleLanes {
  using Real = double;
  using Integer = std::int64_t;
  typedef Integer Bits __attribute__((may_alias));
  typedef double Vector __attribute__((vector_size(LUFACT_CPU_VECTOR_BYTES), may_alias));
  typedef Integer Mask __attribute__((vector_size(LUFACT_CPU_VECTOR_BYTES), may_alias));
  typedef double Anywhere
      __attribute__((vector_size(LUFACT_CPU_VECTOR_BYTES), may_alias, aligned(8)));
  static constexpr Integer magnitude_bits = 0x7fffffffffffffff;
  static constexpr Real least_normal = 0x1.0p-1022;
  static constexpr int count = LUFACT_CPU_VECTOR_BYTES / 8;
};

// The vector of entry `place` of a panel.
template <class L>
typename L::Vector& vector_at(typename L::Real* panel, Offset place) {
  return *reinterpret_cast<typename L::Vector*>(panel + place * L::count);
}
template <class L>
const typename L::Vector& vector_at(const typename L::Real* panel, Offset place) {
  return *reinterpret_cast<const typename L::Vector*>(panel + place * L::count);
}

template <class L, int... lane>
typename L::Mask lane_numbers(std::integer_sequence<int, lane...>) {
  return typename L::Mask{lane...};
}
template <class L>
typename L::Mask lane_numbers() {
  return lane_numbers<L>(std::make_integer_sequence<int, L::count>{});
}

template <class L>
typename L::Vector magnitude(const typename L::Vector& v) {
  return (typename L::Vector)((typename L::Mask)v & L::magnitude_bits);
}

template <class L>
bool any(const typename L::Mask& mask) {
  typename L::Integer sum = 0;
  for (int lane = 0; lane < L::count; ++lane) sum |= mask[lane];
  return sum != 0;
}

// One exchange of transpose(): the square blocks of `distance` beside the diagonal of two rows.
template <class L, int distance, int... e>
void exchange_blocks(typename L::Vector& low, typename L::Vector& high,
                     std::integer_sequence<int, e...>) {
  constexpr int lanes = L::count;
  const typename L::Vector a = low, b = high;
  low = __builtin_shufflevector(a, b, ((e & distance) != 0 ? lanes + e - distance : e)...);
  high = __builtin_shufflevector(a, b, ((e & distance) != 0 ? lanes + e : e + distance)...);
}

// Row r of lane e becomes row e of lane r.
template <class L, int distance = 1>
void transpose(typename L::Vector* rows) {
  if constexpr (distance < L::count) {
    for (int row = 0; row < L::count; ++row) {
      if ((row & distance) != 0) continue;
      exchange_blocks<L, distance>(rows[row], rows[row + distance],
                                   std::make_integer_sequence<int, L::count>{});
    }
    transpose<L, 2 * distance>(rows);
  }
}

}  // namespace
}  // namespace lufact
