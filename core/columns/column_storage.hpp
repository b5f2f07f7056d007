// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// The pattern of L + U by columns: rows ascending, so column j is U above its diagonal, the
// diagonal, L below.
struct ColumnStorage {
  CsrPattern columns;            // "row" j is column j
  std::vector<Offset> diagonal;  // position of (j, j)
  // Columns k .. block_end[k]-1 form a dense lower trapezoid: a supernode. The rows of each column
  // are those of the next column and that column's own label. A column with an empty part of L is a
  // block of its own.
  std::vector<Index> block_end;
};

// On up to `threads` threads; the result does not depend on their number. O(nnz + threads n).
ColumnStorage columns_of(const ColumnPattern& pattern, int threads);

// The entries of B by columns: for each entry of `columns` the position in B's values.
TransposedPattern input_columns(const PermutedMatrix& matrix);

}  // namespace lufact
