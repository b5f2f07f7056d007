// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/front_products.hpp"

namespace lufact {

// The tasks of every front, in order of fronts and of tile rows, with the entries of B and the
// rectangles of the children's contribution blocks that each of them adds up, which go to the
// graph. The graph has its shapes, children and the places of the contribution blocks.
std::vector<FrontTask> make_tile_tasks(const FrontTree& tree, int threads, TaskGraph& graph);

}  // namespace lufact
