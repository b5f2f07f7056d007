// SPDX-License-Identifier: BSD-3-Clause
// The search for double-U dependencies of GLU 2.0 (GLU3 Algorithm 3), kept to measure what the
// later rules save (GLU3 Table II). dependency.hpp finds the same levels in O(nnz).
#pragma once
#include <vector>

#include "core/pipeline/column_products.hpp"

namespace lufact {

// The level of every column under the rule `exact`. For each L(t,i) the search goes through row t
// and the rows j of column t of L for a column k > t that row j shares with row i. It stops at the
// first, unlike in the paper. One core.
std::vector<Index> glu2_search_levels(const ColumnPattern& pattern);

}  // namespace lufact
