// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Fills the graph's shapes and children, the entries that the factors store, and the flags. Throws
// Error{unsupported, "index_overflow"} where flags or tasks of a front would not fit an Index.
void shape_fronts(const FrontTree& tree, int threads, TaskGraph& graph);

}  // namespace lufact
