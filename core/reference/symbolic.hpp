// SPDX-License-Identifier: BSD-3-Clause
// Sequential reference of symbolic factorization: the exact pattern of L + U for a matrix that is
// factored without pivoting. Written to be read beside the papers, not to be fast.
#pragma once
#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact::reference {

// fill2 (Rose and Tarjan 1978), row by row, as E2E Algorithm 1: entry (src, j) is filled iff a
// directed path of B leads from src to j through vertices smaller than both. One erratum: the
// algorithm tags vertices by the number of the row that reached them and starts with tag 0, which
// row 0 would take for its own; here the initial tag is -1. `b` is square with a full diagonal.
// O(n * nnz(B)) worst case.
ColumnPattern fill2(const CsrPattern& b);

// Elimination on the pattern: row t becomes the union of its own entries and, for every k < t in
// it in ascending order (fill included), the entries of row k right of the diagonal.
// O(multiply-adds of the numeric factorization).
ColumnPattern row_merge(const CsrPattern& b);

}  // namespace lufact::reference
