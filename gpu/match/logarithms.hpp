// SPDX-License-Identifier: BSD-3-Clause
// Logarithms and powers of two with the same bits on host and device: no library function, and no
// operation that a compiler may fuse unless it is told to (both sides are told not to).
#pragma once
#include <cstdint>

#include "gpu/match/both_sides.hpp"

namespace lufact::gpu {

inline constexpr int log_bits = 20;  // of the fraction of a fixed logarithm

// log2(magnitude) in units of 2^-20, to within one of them. `magnitude` is positive and finite; it
// may be subnormal.
LUFACT_BOTH_SIDES inline std::int32_t fixed_log2(double magnitude) {
  constexpr double square_root_of_two = 1.4142135623730951, two_over_ln2 = 2.8853900817779268;
  constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
  int exponent = 0;
  if (magnitude < 2.2250738585072014e-308) {
    magnitude *= 18014398509481984.0;  // 2^54
    exponent = -54;
  }
  const auto bits = bits_as<std::uint64_t>(magnitude);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double fraction = bits_as<double>((bits & mantissa) | (std::uint64_t{1023} << 52));
  if (fraction > square_root_of_two) {
    fraction *= 0.5;
    ++exponent;
  }
  // The series of the area hyperbolic tangent; |s| < 0.172 leaves 1e-9.
  const double s = (fraction - 1) / (fraction + 1), t = s * s;
  const double series =
      s * (1 + t * (1.0 / 3 + t * (1.0 / 5 + t * (1.0 / 7 + t * (1.0 / 9))))) * two_over_ln2;
  const double units = series * (1 << log_bits);  // at most half of 2^20 in magnitude
  const auto rounded = static_cast<std::int32_t>(units + (units < 0 ? -0.5 : 0.5));
  return exponent * (1 << log_bits) + rounded;
}

// 2^x for x <= 0 to within 1e-6 of itself; 0 below 2^-40.
LUFACT_BOTH_SIDES inline float power_of_two(float x) {
  if (x < -40) return 0;
  const auto whole = static_cast<int>(x - 0.5F);  // towards 0: the nearest integer
  const float f = x - static_cast<float>(whole);  // in [-0.5, 0.5]
  const float power =
      1 + f * (0.693147181F +
               f * (0.240226507F +
                    f * (0.0555041087F +
                         f * (0.00961812911F + f * (0.00133335581F + f * 0.000154035304F)))));
  return power * bits_as<float>((whole + 127) << 23);
}

}  // namespace lufact::gpu
