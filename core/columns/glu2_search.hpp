// SPDX-License-Identifier: BSD-3-Clause
// The search for double-U dependencies of GLU 2.0 (GLU3 Algorithm 3), kept to measure what the
// later rules save (GLU3 Table II). dependency.hpp finds the same levels in O(nnz).
#pragma once
#include <vector>

#include "core/pipeline/column_products.hpp"

namespace lufact {

// The level of every column under the rule `exact`. For each L(t,i) the search goes through row t
// and the rows j of column t of L for a column k > t that row j shares with row i. One core.
// `plain`: two ascending lists are gone through side by side from their begin, for every row j,
// whatever was found before, as the algorithm is printed. `quick`: the columns of row i are marked,
// lists begin beyond t, and the first column that is found ends the search.
enum class Glu2Search { plain, quick };
std::vector<Index> glu2_search_levels(const ColumnPattern& pattern, Glu2Search search);

}  // namespace lufact
