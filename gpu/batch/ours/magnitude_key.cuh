// SPDX-License-Identifier: BSD-3-Clause
// Magnitudes as integers: numbers that are not negative compare as their bits do, a NaN is above
// all. The key of a double is the upper half of its bits, whose lower half then decides.
#pragma once
#include <bit>
#include <cstdint>

#include "gpu/batch/ours/lanes.cuh"

namespace lufact::gpu::ours {

template <class Real>
struct MagnitudeBits;
template <>
struct MagnitudeBits<double> {
  using Type = std::int64_t;
};
template <>
struct MagnitudeBits<float> {
  using Type = std::int32_t;
};
template <class Real>
using Magnitude = typename MagnitudeBits<Real>::Type;

LUFACT_LANE std::int64_t magnitude(double value) {
#ifdef __CUDA_ARCH__
  return __double_as_longlong(fabs(value));
#else
  return std::bit_cast<std::int64_t>(value) & 0x7fffffffffffffff;
#endif
}
LUFACT_LANE std::int32_t magnitude(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_int(fabsf(value));
#else
  return std::bit_cast<std::int32_t>(value) & 0x7fffffff;
#endif
}

// -1 for a magnitude of -1, which stands for "no candidate".
LUFACT_LANE std::int32_t key_of(std::int64_t magnitude) {
  return static_cast<std::int32_t>(magnitude >> 32);
}
LUFACT_LANE std::int32_t key_of(std::int32_t magnitude) {
  return magnitude;
}
LUFACT_LANE std::int32_t key_of_value(double value) {
#ifdef __CUDA_ARCH__
  return __double2hiint(value) & 0x7fffffff;  // fabs() would occupy the unit for doubles
#else
  return key_of(magnitude(value));
#endif
}
LUFACT_LANE std::int32_t key_of_value(float value) {
  return magnitude(value);
}

// The exponent of a key as it is stored: 0 of zero and subnormal numbers.
template <class Real>
LUFACT_LANE std::int32_t stored_exponent(std::int32_t key) {
  return sizeof(Real) == 8 ? key >> 20 : key >> 23;
}

// The number that has this key, and zeros behind it.
template <class Real>
LUFACT_LANE Real value_of_key(std::int32_t key) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Real) == 8) {
    return __hiloint2double(key, 0);
  } else {
    return __int_as_float(key);
  }
#else
  if constexpr (sizeof(Real) == 8) {
    return std::bit_cast<double>(static_cast<std::int64_t>(key) << 32);
  } else {
    return std::bit_cast<float>(key);
  }
#endif
}

// The key of 2^exponent.
template <class Real>
constexpr std::int32_t key_of_power(int exponent) {
  return sizeof(Real) == 8 ? (1023 + exponent) << 20 : (127 + exponent) << 23;
}

// Where all entries of a matrix of order n are below 2^(entry_exponent - n), and all pivots at
// least 2^pivot_exponent or zero, elimination overflows nowhere: an entry at most doubles with each
// pivot, and reciprocals of pivots are normal numbers. Other matrices are eliminated anew,
// carefully.
template <class Real>
inline constexpr int entry_exponent = sizeof(Real) == 8 ? 1000 : 120;
template <class Real>
inline constexpr int pivot_exponent = sizeof(Real) == 8 ? -1000 : -120;

}  // namespace lufact::gpu::ours
