// SPDX-License-Identifier: BSD-3-Clause
// Entries of generated dense matrices, computed from their place alone: the same bits on host and
// device. Products have a power of two as a factor or are fused in so many words, so that nothing
// depends on what a compiler fuses. CUDA sources that call these functions need
// --expt-relaxed-constexpr.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/random.hpp"
#include "core/base/types.hpp"

namespace lufact {

// Runs in float round every entry to float once.
enum class DenseKind {
  random,     // uniform in [-1, 1)
  dominant,   // random, but for a diagonal of max(m, n) to max(m, n) + 1, of either sign
  condition,  // K: singular values from 1 down to 1 / K in equal ratios, see ReflectedDiagonal
  growth,     // Wilkinson's: 1 on the diagonal and in the last column, -1 below; U grows to
              // 2^(n - 1) with partial pivoting and without
  hilbert,    // 1 / (i + j + 1)
  toeplitz,   // random, equal along diagonals
  singular,   // K: column K is twice column 1, which is zero but for its first entry (K = 1: zero);
              // else dominant. U(K, K) is exactly zero in every order and precision
  zero_minor,  // K: column K is zero in its first K rows, else dominant: U(K, K) is exactly zero
               // without pivoting, and not with
  ties,        // -1, 0 and 1, equally often
  special,     // dominant in numbers at the end of the range, or with one NaN or Inf
};

enum class SpecialNumbers { subnormal, tiny, huge, nan, inf };

// A kind and what stands behind its colon.
struct DenseKindName {
  DenseKind kind = DenseKind::random;
  double condition = 1;  // of `condition`, >= 1
  Index column = 1;      // of `singular` and `zero_minor`, from 1
  SpecialNumbers numbers = SpecialNumbers::nan;
};
// "condition:1e6", "singular:7", "special:tiny"; empty for anything else.
std::optional<DenseKindName> parse_dense_kind(std::string_view text);
std::string to_string(const DenseKindName& name);
// Every kind as --input spells it.
std::span<const std::string_view> dense_kind_spellings() noexcept;

// H(u) D H(v) with reflectors H(w) = I - 2 w w' of random unit vectors: singular values are those
// of D. Entry (i, j) is D(i, j) + left[i] * v[j] + u[i] * right[j] with left = -2 D v and
// right = 4 (u' D v) v - 2 D' u.
struct ReflectedDiagonal {
  const double* diagonal = nullptr;             // min(m, n)
  const double *u = nullptr, *left = nullptr;   // m
  const double *v = nullptr, *right = nullptr;  // n
};

// A matrix of m x n; `reflected` belongs to who made it, on the side that asks.
struct DenseGenerator {
  DenseKindName name{};
  std::uint64_t seed = 1;
  Index m = 1, n = 1;
  ReflectedDiagonal reflected{};
};

// What a random number is for: numbers for different uses are independent.
enum class DenseUse : std::uint64_t { entry = 16, diagonal_of, vector, place, right_hand_side };

constexpr std::uint64_t dense_bits(DenseUse use, std::uint64_t seed, Index i, Index j) noexcept {
  const auto place = static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j);
  return hash64(seed, static_cast<std::uint64_t>(use), place);
}

constexpr double dense_random(std::uint64_t seed, Index i, Index j) noexcept {
  return symmetric_interval(dense_bits(DenseUse::entry, seed, i, j));
}

constexpr double dense_dominant(const DenseGenerator& g, Index i, Index j) noexcept {
  if (i != j) return dense_random(g.seed, i, j);
  const std::uint64_t bits = dense_bits(DenseUse::entry, g.seed, i, j);
  const double size = (g.m > g.n ? g.m : g.n) + unit_interval(bits);
  return (bits & 1U) != 0 ? size : -size;
}

constexpr double dense_growth(const DenseGenerator& g, Index i, Index j) noexcept {
  if (i == j || j == g.n - 1) return 1;
  return i > j ? -1 : 0;
}

constexpr double dense_toeplitz(const DenseGenerator& g, Index i, Index j) noexcept {
  const Index along = i - j;
  return symmetric_interval(
      dense_bits(DenseUse::diagonal_of, g.seed, along < 0 ? -along : along, along < 0 ? 1 : 0));
}

constexpr double dense_singular(const DenseGenerator& g, Index i, Index j) noexcept {
  const Index column = g.name.column - 1;
  if (column == 0) return j == 0 ? 0 : dense_dominant(g, i, j);
  if (j != 0 && j != column) return dense_dominant(g, i, j);
  if (i != 0) return 0;
  return dense_dominant(g, 0, 0) * (j == column ? 2 : 1);
}

constexpr double dense_zero_minor(const DenseGenerator& g, Index i, Index j) noexcept {
  return j == g.name.column - 1 && i <= j ? 0 : dense_dominant(g, i, j);
}

constexpr double dense_ties(const DenseGenerator& g, Index i, Index j) noexcept {
  const std::uint64_t bits = dense_bits(DenseUse::entry, g.seed, i, j) >> 32;
  return static_cast<double>(bits * 3 >> 32) - 1;
}

constexpr double dense_special(const DenseGenerator& g, Index i, Index j) noexcept {
  const double value = dense_dominant(g, i, j);
  const std::uint64_t place = dense_bits(DenseUse::place, g.seed, 0, 0) >> 32;
  const bool here = i == static_cast<Index>(place % static_cast<std::uint64_t>(g.m)) &&
                    j == static_cast<Index>(place % static_cast<std::uint64_t>(g.n));
  switch (g.name.numbers) {
    case SpecialNumbers::subnormal:
      return value * 0x1.0p-1022 * 0x1.0p-32;
    case SpecialNumbers::tiny:
      return value * 0x1.0p-996;
    case SpecialNumbers::huge:
      return value * 0x1.0p+996;
    case SpecialNumbers::nan:
      return here ? std::numeric_limits<double>::quiet_NaN() : value;
    case SpecialNumbers::inf:
      return here ? std::numeric_limits<double>::infinity() : value;
  }
  return value;
}

inline double dense_reflected(const DenseGenerator& g, Index i, Index j) noexcept {
  const ReflectedDiagonal& r = g.reflected;
  const double diagonal = i == j ? r.diagonal[i] : 0;
  return std::fma(r.u[i], r.right[j], std::fma(r.left[i], r.v[j], diagonal));
}

inline double dense_entry(const DenseGenerator& g, Index i, Index j) noexcept {
  switch (g.name.kind) {
    case DenseKind::random:
      break;
    case DenseKind::dominant:
      return dense_dominant(g, i, j);
    case DenseKind::condition:
      return dense_reflected(g, i, j);
    case DenseKind::growth:
      return dense_growth(g, i, j);
    case DenseKind::hilbert:
      return 1.0 / (static_cast<double>(i) + j + 1);
    case DenseKind::toeplitz:
      return dense_toeplitz(g, i, j);
    case DenseKind::singular:
      return dense_singular(g, i, j);
    case DenseKind::zero_minor:
      return dense_zero_minor(g, i, j);
    case DenseKind::ties:
      return dense_ties(g, i, j);
    case DenseKind::special:
      return dense_special(g, i, j);
  }
  return dense_random(g.seed, i, j);
}

// Entry i of right-hand side c: uniform in [-1, 1).
constexpr double dense_rhs_entry(std::uint64_t seed, Index i, Index c) noexcept {
  return symmetric_interval(dense_bits(DenseUse::right_hand_side, seed, i, c));
}

}  // namespace lufact
