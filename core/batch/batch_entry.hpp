// SPDX-License-Identifier: BSD-3-Clause
// Entries of generated matrices, computed from their place alone: the same bits on host and device.
// Products have a power of two as a factor, so that nothing depends on whether a compiler fuses
// them with an addition. CUDA sources that call these functions need --expt-relaxed-constexpr.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/random.hpp"
#include "core/base/types.hpp"

namespace lufact {

// Runs in float round every entry to float once.
enum class BatchKind {
  random,         // uniform in [-1, 1)
  dominant,       // random, but for a diagonal of n to n + 1, of either sign
  graded,         // random, row i times a power of two between 1e-20 and 1e+20
  ties,           // -1, 0 and 1, equally often; many small ones are singular
  near_singular,  // random, but for a column that differs from another by 2^-e of a random one, e
                  // from 0 to 53 by matrix: conditions of some n to n 2^53
  singular,       // random, but for every 1000th matrix, from the first: singular_entry()
  special,        // random, but for every second matrix, from the second: special_entry()
};
std::string_view to_string(BatchKind kind) noexcept;
std::optional<BatchKind> parse_batch_kind(std::string_view name) noexcept;
std::span<const BatchKind> batch_kinds() noexcept;

// Entry (i, j) of matrix k of those of order n < 2^20.
struct BatchPlace {
  std::uint64_t seed = 1;
  Index n = 1;
  Offset k = 0;
  Index i = 0, j = 0;
};

// What a random number is for: numbers for different uses are independent.
enum class BatchUse : std::uint64_t { entry, row, matrix, second_matrix, repeat, right_hand_side };

constexpr std::uint64_t batch_bits(BatchUse use, std::uint64_t seed, Index n, Offset k, Index i,
                                   Index j) noexcept {
  const auto bits = [](Index value) { return static_cast<std::uint64_t>(value); };
  return hash64(seed, static_cast<std::uint64_t>(k),
                static_cast<std::uint64_t>(use) << 60 | bits(n) << 40 | bits(i) << 20 | bits(j));
}

// A number from 0 to below `bound`, of the upper half of the bits.
constexpr Index below(std::uint64_t bits, Index bound) noexcept {
  return static_cast<Index>((bits >> 32) * static_cast<std::uint64_t>(bound) >> 32);
}

// Exact for the exponents of normal numbers.
constexpr double power_of_two(int exponent) noexcept {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

constexpr double random_entry(const BatchPlace& p) noexcept {
  return symmetric_interval(batch_bits(BatchUse::entry, p.seed, p.n, p.k, p.i, p.j));
}

// The same for all entries of a matrix.
constexpr std::uint64_t matrix_bits(const BatchPlace& p) noexcept {
  return batch_bits(BatchUse::matrix, p.seed, p.n, p.k, 0, 0);
}

constexpr double dominant_entry(const BatchPlace& p) noexcept {
  if (p.i != p.j) return random_entry(p);
  const std::uint64_t bits = batch_bits(BatchUse::entry, p.seed, p.n, p.k, p.i, p.j);
  const double size = p.n + unit_interval(bits);
  return (bits & 1U) != 0 ? size : -size;
}

constexpr double graded_entry(const BatchPlace& p) noexcept {
  constexpr int largest = 66;  // 2^66 = 7e19
  const std::uint64_t bits = batch_bits(BatchUse::row, p.seed, p.n, p.k, p.i, 0);
  return random_entry(p) * power_of_two(below(bits, 2 * largest + 1) - largest);
}

constexpr double ties_entry(const BatchPlace& p) noexcept {
  return below(batch_bits(BatchUse::entry, p.seed, p.n, p.k, p.i, p.j), 3) - 1;
}

// A matrix of order 1 has no second column: it is random.
constexpr double near_singular_entry(const BatchPlace& p) noexcept {
  if (p.n == 1) return random_entry(p);
  const std::uint64_t bits = matrix_bits(p);
  const Index source = below(bits, p.n);
  const Index copy = (source + 1 + below(bits << 32, p.n - 1)) % p.n;
  if (p.j != copy) return random_entry(p);
  const int exponent = below(batch_bits(BatchUse::second_matrix, p.seed, p.n, p.k, 0, 0), 54);
  const double difference = random_entry(p) * power_of_two(-exponent);
  return random_entry({p.seed, p.n, p.k, p.i, source}) + difference;
}

// Entry of the L (|l| <= 1/2 below its unit diagonal) of a matrix with two equal columns.
constexpr double equal_columns_lower(const BatchPlace& p, Index row, Index column) noexcept {
  if (row == column) return 1;
  return 0.5 * (below(batch_bits(BatchUse::entry, p.seed, p.n, p.k, row, column), 3) - 1);
}

// Of its U: 1 or 2 of either sign on the diagonal, -1, 0, 1 above it.
constexpr double equal_columns_upper(const BatchPlace& p, Index row, Index column) noexcept {
  const std::uint64_t bits = batch_bits(BatchUse::entry, p.seed, p.n, p.k, row, column);
  if (row != column) return below(bits, 3) - 1;
  return (below(bits, 2) + 1) * ((bits & 1U) != 0 ? 1 : -1);
}

// Column `second` equals an earlier one. The matrix is P L U with numbers so short that elimination
// is exact in every precision and order: its zero pivot is exactly zero, and the only one. P turns
// round the rows above `second`, since after a zero pivot rows stay where they are.
constexpr double equal_columns_entry(const BatchPlace& p, Index second) noexcept {
  const std::uint64_t bits = matrix_bits(p);
  const Index row = p.i < second ? (p.i + below(bits, second)) % second : p.i;
  const Index column = p.j == second ? below(bits << 32, second) : p.j;
  double sum = 0;
  for (Index m = 0; m <= row && m <= column; ++m) {
    if (m == second && m != row) continue;  // L has no entry below the zero pivot
    sum += equal_columns_lower(p, row, m) * equal_columns_upper(p, m, column);
  }
  return sum;
}

// Every 1000th matrix has by turns a zero column and two equal ones; the column whose pivot is zero
// goes through all places. info is that column, from 1, in any correct factorization.
constexpr double singular_entry(const BatchPlace& p) noexcept {
  constexpr Offset period = 1000;
  if (p.k % period != 0) return random_entry(p);
  const Offset turn = p.k / period;
  const Offset place = turn / 2 + static_cast<Offset>(p.seed % 64);
  if (turn % 2 == 0 || p.n == 1) {
    return p.j == static_cast<Index>(place % p.n) ? 0.0 : random_entry(p);
  }
  return equal_columns_entry(p, 1 + static_cast<Index>(place % (p.n - 1)));
}

// A matrix with one entry `large` in its row, and in its column numbers below `small`: its pivot is
// `large`, subnormal, and has a reciprocal that is a number.
constexpr double tiny_column_entry(const BatchPlace& p, double large, double small) noexcept {
  const std::uint64_t bits = matrix_bits(p);
  const Index row = below(bits, p.n), column = below(bits << 32, p.n);
  if (p.i != row && p.j != column) return random_entry(p);
  if (p.i == row) return p.j == column ? large : 0.0;
  return random_entry(p) * small;
}

constexpr double with_one_entry(const BatchPlace& p, double value) noexcept {
  const std::uint64_t bits = matrix_bits(p);
  const bool here = p.i == below(bits, p.n) && p.j == below(bits << 32, p.n);
  return here ? value : random_entry(p);
}

// By turns: a column whose pivot is subnormal in double (in float the column is zero, the matrix
// singular), in float; all entries times 1e-300 (float: a zero matrix), 1e+300 (float: Inf), 1e-30,
// 1e+30; one Inf of either sign; one NaN. Where entries are finite in the precision of the run, so
// is the inverse, unless the matrix is singular.
constexpr double special_entry(const BatchPlace& p) noexcept {
  if (p.k % 2 == 0) return random_entry(p);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (p.k / 2 % 8) {
    case 0:
      return tiny_column_entry(p, 0x1.8p-1024, 0x1.0p-1030);
    case 1:
      return tiny_column_entry(p, 0x1.8p-128, 0x1.0p-134);
    case 2:
      return random_entry(p) * 0x1.0p-996;
    case 3:
      return random_entry(p) * 0x1.0p+996;
    case 4:
      return random_entry(p) * 0x1.0p-100;
    case 5:
      return random_entry(p) * 0x1.0p+100;
    case 6:
      return with_one_entry(p, (matrix_bits(p) & 1U) != 0 ? infinity : -infinity);
    default:
      return with_one_entry(p, std::numeric_limits<double>::quiet_NaN());
  }
}

constexpr double batch_entry(BatchKind kind, std::uint64_t seed, Index n, Offset k, Index i,
                             Index j) noexcept {
  const BatchPlace place{seed, n, k, i, j};
  switch (kind) {
    case BatchKind::random:
      break;
    case BatchKind::dominant:
      return dominant_entry(place);
    case BatchKind::graded:
      return graded_entry(place);
    case BatchKind::ties:
      return ties_entry(place);
    case BatchKind::near_singular:
      return near_singular_entry(place);
    case BatchKind::singular:
      return singular_entry(place);
    case BatchKind::special:
      return special_entry(place);
  }
  return random_entry(place);
}

// What entry (i, j) of matrix k is multiplied with where given matrices repeat: 1 + 1e-3 u with u
// uniform in [-1, 1], exact in double.
constexpr double batch_repeat_factor(std::uint64_t seed, Index n, Offset k, Index i,
                                     Index j) noexcept {
  constexpr std::int64_t range = 1099511627;  // 1e-3 * 2^40
  const std::uint64_t bits = batch_bits(BatchUse::repeat, seed, n, k, i, j);
  const auto steps = static_cast<std::int64_t>((bits >> 32) * (2 * range + 1) >> 32) - range;
  return 1.0 + static_cast<double>(steps) * 0x1.0p-40;
}

// Entry i of right-hand side c of matrix k: uniform in [-1, 1).
constexpr double batch_rhs_entry(std::uint64_t seed, Index n, Offset k, Index i, Index c) noexcept {
  return symmetric_interval(batch_bits(BatchUse::right_hand_side, seed, n, k, i, c));
}

}  // namespace lufact
