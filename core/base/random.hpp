// SPDX-License-Identifier: BSD-3-Clause
// Counter-based pseudo-random numbers: a value is a pure function of its keys, so that a seed gives
// the same numbers on every machine, in every order and for every thread count.
#pragma once
#include <cstdint>

namespace lufact {

// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection of 64-bit words.
constexpr std::uint64_t mix64(std::uint64_t z) noexcept {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr std::uint64_t hash64(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) noexcept {
  return mix64(mix64(mix64(seed) ^ a) ^ b);
}

// Uniform in [0, 1): the upper 53 bits, exact in double.
constexpr double unit_interval(std::uint64_t bits) noexcept {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

// Uniform in [-1, 1).
constexpr double symmetric_interval(std::uint64_t bits) noexcept {
  return 2.0 * unit_interval(bits) - 1.0;
}

}  // namespace lufact
