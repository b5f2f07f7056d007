// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Fills the graph's shapes and children, the entries that the factors store, and the flags. Throws
// Error{unsupported, "index_overflow"} where flags or tasks of a front would not fit an Index.
void shape_fronts(const FrontTree& tree, TaskGraph& graph);

// Gives every contribution block its place. A block is written when all children of its front are
// complete, so that nothing below them is read any more: it may stand where blocks two and more
// generations below it stood. Fronts of even and of odd depth have an arena each, in which the
// block of a front and the blocks of its grandchildren's subtrees share one place.
void place_contributions(TaskGraph& graph);

}  // namespace lufact
