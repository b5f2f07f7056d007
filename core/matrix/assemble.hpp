// SPDX-License-Identifier: BSD-3-Clause
// From entries in the order of the file to a matrix in compressed rows.
#pragma once
#include <optional>

#include "core/matrix/facts.hpp"
#include "core/matrix/pattern_values.hpp"
#include "core/matrix/row_sort.hpp"

namespace lufact::matrix_market {

struct AssembleRules {
  Mirror mirror = Mirror::none;
  ExplicitZeros explicit_zeros = ExplicitZeros::drop;
  std::optional<double> zero_diagonals;
  std::optional<PatternValueRule> pattern_values;  // set where the file stores no values
};

struct Assembled {
  CsrMatrix matrix;
  // Counts of places that the file lists: with a mirror, an entry and its image are counted once.
  Offset duplicates_summed = 0, explicit_zeros_dropped = 0;
  Offset zero_diagonals_replaced = 0, missing_diagonals = 0;
  // A place whose duplicates add up to more than a double holds; the matrix is then empty.
  struct Position {
    Index row, col;
  };
  std::optional<Position> overflow;
};

// Sorts each row by column, adds duplicates in the order of the file, drops or keeps zeros (sums
// that are 0 included), replaces missing and zero diagonals, and gives a pattern its values. The
// result is the same for every number of threads. Throws std::bad_alloc.
Assembled assemble(const Triplets& triplets, Index n, const AssembleRules& rules, int threads);

}  // namespace lufact::matrix_market
