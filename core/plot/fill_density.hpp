// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/front_products.hpp"
#include "core/plot/density.hpp"

namespace lufact::plot {

// Entries of L + U by B's labels, from fronts whose columns have nested structure
// (EliminationAnalysis::nested_columns): each front is a dense block of its columns, one of its
// rows below them and its transpose. The pattern itself is never made: O(n + rows of the fronts)
// time, and for each front the cells that it touches.
DensityGrid fill_density(const FrontTree& nested, Index most_cells = most_pattern_cells);

}  // namespace lufact::plot
