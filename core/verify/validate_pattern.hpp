// SPDX-License-Identifier: BSD-3-Clause
// Validator of the exact pattern of L + U: independent of every symbolic algorithm, it looks at the
// finished pattern only.
#pragma once
#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/product_handler.hpp"

namespace lufact {

// The pattern is
//   valid: columns ascending inside each row, diagonal present and its position right;
//   complete: it contains `b`;
//   closed under elimination: L(t,i) and U(i,k) imply (t,k);
//   minimal: every entry (t,k) is in `b` or has an i < min(t,k) with L(t,i) and U(i,k).
// With a full diagonal in `b` the four together say that it is the exact fill (for the last:
// by induction over min(t,k) every entry is one that elimination makes). The message names the
// first wrong row and its column, from 0. O(nnz log n) for a symmetric pattern; at most one visit
// per multiply-add of the numeric factorization. Rows are checked in parallel.
ValidatorVerdict validate_column_pattern(const CsrPattern& b, const ColumnPattern& pattern);

}  // namespace lufact
