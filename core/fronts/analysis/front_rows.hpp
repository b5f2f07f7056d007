// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>

#include "core/fronts/analysis/arrowheads.hpp"
#include "core/fronts/analysis/supernodes.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Makes every supernode a front of `tree` and finds its contribution rows. Fills first, parent,
// row_ptr and row, nothing else. `entries` are by the positions before amalgamation. Several
// threads take disjoint subtrees, then one thread takes the fronts above. O(sum of the children's
// rows), and sorting the rows that a front does not have from its largest child.
void find_front_rows(const Arrowheads& entries, const Supernodes& sets, int threads,
                     FrontTree& tree);

}  // namespace lufact
