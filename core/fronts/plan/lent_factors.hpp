// SPDX-License-Identifier: BSD-3-Clause
// Contribution blocks in the place of factors that are not there yet.
#pragma once
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Gives every contribution block its place, as place_contributions(), in less memory. The block of
// a front is read until its parent is complete. A front g that is two or more generations above
// stores nothing before in its tile columns from k on, where k is the first that the child of g on
// the way contributes to: diagonal tile k waits for that child, and whatever is in column k or
// later waits for that tile. Until then the block may have their place. So each large front lends
// its factors, but for the first tile on the diagonal, to blocks below that would make an arena
// larger; blocks that find no place are in the arenas, which stand behind the factors. Sets
// `contribution` of shapes, negative in factors, the arenas' entries, and `lends`. O(fronts), and
// for each front that lends a walk through those whose blocks are too large for what it has left.
void place_in_factors(const FrontTree& tree, TaskGraph& graph);

}  // namespace lufact
