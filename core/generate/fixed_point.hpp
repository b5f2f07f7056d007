// SPDX-License-Identifier: BSD-3-Clause
// Values of generated matrices are integers in units of 2^-16 until the last step. Sums of them are
// exact and neither a library function nor a fused multiply-add can change a bit, so that a seed
// gives the same file on every machine.
#pragma once
#include <cstdint>

namespace lufact::generate {

using Fixed = std::int64_t;  // a value times 2^16, |value| < 2^37

constexpr Fixed kOne = Fixed{1} << 16;

// Exact: |fixed| < 2^53.
constexpr double to_double(Fixed fixed) noexcept {
  return static_cast<double>(fixed) * 0x1.0p-16;
}

// Uniform in [0, bound), bound <= 2^32, from the upper half of 64 random bits (a multiplication
// and a shift, so that no division and no rejection loop is needed).
constexpr std::int64_t uniform_below(std::uint64_t bits, std::int64_t bound) noexcept {
  return static_cast<std::int64_t>(((bits >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
}

// Uniform in [1/8, 1].
constexpr Fixed positive_weight(std::uint64_t bits) noexcept {
  return kOne / 8 + uniform_below(bits, kOne - kOne / 8 + 1);
}

// Uniform in [-1, -1/8] or [1/8, 1]; the sign is the lowest bit, which the magnitude does not use.
constexpr Fixed signed_weight(std::uint64_t bits) noexcept {
  return (bits & 1U) != 0 ? -positive_weight(bits) : positive_weight(bits);
}

}  // namespace lufact::generate
