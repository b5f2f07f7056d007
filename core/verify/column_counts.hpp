// SPDX-License-Identifier: BSD-3-Clause
// Figures of the record about the column family, counted from the finished products.
#pragma once
#include <string>

#include "core/base/types.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

struct PatternCounts {
  Offset nnz_l = 0;  // strictly lower
  Offset nnz_u = 0;  // with diagonal
  double flops = 0;  // of elimination: one per division, two per multiply-add
};
PatternCounts count_pattern(const ColumnPattern& pattern);

// Levels under each dependency rule: the longest chain of columns. `exact` uses that on a closed
// pattern i precedes t by double-U iff L(t,i) and the last column of row i of U lies beyond t.
// O(nnz).
LevelsByRule count_levels(const ColumnPattern& pattern);

// SHA-256 of the row offsets as 64-bit, then the sorted columns as 32-bit little-endian integers.
std::string pattern_sha256(const CsrPattern& pattern);

// Of pattern.supernodes, which are not empty; sha256 is that of the row pointers as 32-bit
// little-endian integers.
SupernodeNotes count_supernodes(const ColumnPattern& pattern, Index most_rows);

// SHA-256 of the level of each column as 32-bit little-endian integers.
std::string levels_sha256(const ColumnSchedule& schedule);

}  // namespace lufact
