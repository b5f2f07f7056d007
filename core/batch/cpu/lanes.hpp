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

// In every run of `size` lanes, row r of lane e becomes row e of lane r.
template <class L, int size, int distance = 1>
void transpose(typename L::Vector* rows) {
  if constexpr (distance < size) {
    for (int row = 0; row < size; ++row) {
      if ((row & distance) != 0) continue;
      exchange_blocks<L, distance>(rows[row], rows[row + distance],
                                   std::make_integer_sequence<int, L::count>{});
    }
    transpose<L, size, 2 * distance>(rows);
  }
}

// `size` of a vector's numbers.
template <class L, int size>
struct PartOf {
  using Real = typename L::Real;
  typedef Real Vector __attribute__((vector_size(size * sizeof(Real)), may_alias));
  typedef Real Anywhere
      __attribute__((vector_size(size * sizeof(Real)), may_alias, aligned(sizeof(Real))));
};

template <class Part, int... e>
auto joined(const Part& low, const Part& high, std::integer_sequence<int, e...>) {
  return __builtin_shufflevector(low, high, e...);
}

// `length` lanes: `size` numbers from first[0], then as many from first[size], and so on.
template <class L, int length, int size>
auto parts_from(typename L::Real* const* first, Offset place) {
  if constexpr (length == size) {
    using Part = PartOf<L, size>;
    return typename Part::Vector(*reinterpret_cast<const typename Part::Anywhere*>(*first + place));
  } else {
    return joined(parts_from<L, length / 2, size>(first, place),
                  parts_from<L, length / 2, size>(first + length / 2, place),
                  std::make_integer_sequence<int, length>{});
  }
}

// Numbers [begin, begin + sizeof...(e)) of a vector.
template <class L, int begin, int... e>
void store_part(const typename L::Vector& v, typename L::Real* to,
                std::integer_sequence<int, e...>) {
  using Part = PartOf<L, int{sizeof...(e)}>;
  *reinterpret_cast<typename Part::Anywhere*>(to) = __builtin_shufflevector(v, v, (begin + e)...);
}

// The way back from parts_from(), for the lanes before `used`; `begin` is the first number's lane.
template <class L, int size, int begin = 0>
void store_parts(const typename L::Vector& v, int used, typename L::Real* const* first,
                 Offset place) {
  if constexpr (begin < L::count) {
    if (used <= begin) return;
    store_part<L, begin>(v, first[begin] + place, std::make_integer_sequence<int, size>{});
    store_parts<L, size, begin + size>(v, used, first, place);
  }
}

}  // namespace
}  // namespace lufact
