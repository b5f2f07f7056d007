// SPDX-License-Identifier: BSD-3-Clause
// Values for files that store none.
#pragma once
#include <cstdint>
#include <span>

#include "core/matrix/banner.hpp"
#include "core/matrix/facts.hpp"

namespace lufact::matrix_market {

struct PatternValueRule {
  PatternValues kind = PatternValues::dominant;
  FileSymmetry symmetry = FileSymmetry::general;
  std::uint64_t seed = 1;
};

// The value of the off-diagonal entry (row, col), numbered from 0, under `dominant`: with h =
// hash64(seed, row, col), of magnitude 0.1 + 0.9 u where u = unit_interval(h), uniform in [0.1, 1),
// and negative where the lowest bit of h is 1. In a symmetric file an entry and its mirror both
// take the hash of the entry below the diagonal; in a skew-symmetric file the mirror has the
// opposite sign.
double dominant_off_diagonal(const PatternValueRule& rule, Index row, Index col) noexcept;

// Fills the values of one row (ascending columns). `dominant`: off-diagonals as above, a stored
// diagonal is 1 + the sum of the magnitudes of the row's off-diagonals, in the order of the
// columns. `ones`: 1, or -1 above the diagonal of a skew-symmetric file that is expanded.
// A position has one value, however often the file lists it.
void fill_pattern_row(const PatternValueRule& rule, Index row, std::span<const Index> columns,
                      std::span<double> values) noexcept;

}  // namespace lufact::matrix_market
