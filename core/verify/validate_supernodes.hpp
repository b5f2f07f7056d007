// SPDX-License-Identifier: BSD-3-Clause
// Validator of T3 supernodes: independent of every search for them, it looks at the finished
// partition and the sets of columns.
#pragma once
#include "core/pipeline/column_products.hpp"
#include "core/pipeline/product_handler.hpp"

namespace lufact {

// pattern.supernodes are the T3 supernodes of GSoFa's Definition 1 with at most `most_rows` rows:
//   a partition of the rows into ranges, none across a multiple of most_rows;
//   sound: a row s behind the first, r, has L(s,r), and U(s,:) is U(s-1,:) without s - 1;
//   maximal: a row that could have joined the range before it does not start one.
// The definition counts U(s,:), which says the same: on a closed pattern L(s,r) puts all of U(r,:)
// right of s into row s, so that with one entry fewer the two are equal. `pattern` must be valid.
// The message names the row, from 0. O(nnz).
ValidatorVerdict validate_supernodes(const ColumnPattern& pattern, Index most_rows);

}  // namespace lufact
