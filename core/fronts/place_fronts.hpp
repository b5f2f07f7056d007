// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>

#include "core/fronts/pivot_entries.hpp"
#include "core/fronts/supernodes.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Fills parent_row: where the contribution rows of each front stand in its parent.
void find_parent_rows(FrontTree& tree, int threads);

// Fills label and the entries. `label` is that of B at each position before merging.
void place_entries(const PivotEntries& entries, const Supernodes& sets,
                   std::span<const Index> label, int threads, FrontTree& tree);

}  // namespace lufact
