// SPDX-License-Identifier: BSD-3-Clause
// What the entries of a matrix say before anything is ordered: how far from the diagonal they are,
// how many a row has, and whether its diagonal dominates.
#pragma once
#include <optional>
#include <vector>

#include "core/matrix/pattern.hpp"

namespace lufact {

// Entries of each row, and of each column.
struct Degrees {
  std::vector<Offset> of_rows, of_columns;
};

struct DegreeRange {
  Offset least = 0, most = 0;
  double mean = 0;
};

// Rows whose diagonal entry is larger in magnitude than all others of the row together.
struct DiagonalDominance {
  Offset rows = 0;  // strictly dominant ones
  // Least |a_ii| / sum of the others' magnitudes over the rows that have others; empty where none
  // has. 0 for a missing diagonal entry.
  std::optional<double> least_ratio;
};

struct EntryFacts {
  Index lower_bandwidth = 0;  // largest i - j of an entry (i, j)
  Index upper_bandwidth = 0;  // largest j - i
  // Entries of a skyline: for each row those from its first one to the diagonal, and for each
  // column likewise; the diagonal counts once.
  double profile = 0;
  DegreeRange row_degrees, column_degrees;
  DiagonalDominance dominance;
};

// Of a square matrix with ascending columns. O(n + nnz) time, O(n) memory.
Degrees degrees_of(const PatternView& a);
EntryFacts entry_facts(const CsrMatrix& a, const Degrees& degrees);

}  // namespace lufact
