// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>

#include "core/fronts/analysis/arrowheads.hpp"
#include "core/fronts/analysis/supernodes.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {

// The contribution rows of every set of columns, which become the fronts of `tree` (first, parent,
// row_ptr, row; nothing else is filled). Entries are by the positions before merging. Subtrees by
// several threads, then what is above them. O(sum of the children's rows) and sorting what a front
// does not have from its largest child.
void find_front_rows(const Arrowheads& entries, const Supernodes& sets, int threads,
                     FrontTree& tree);

}  // namespace lufact
