// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/fronts/pivot_entries.hpp"
#include "core/fronts/postordered_pattern.hpp"
#include "core/fronts/supernodes.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Fills parent_row: where the contribution rows of each front stand in its parent.
void find_parent_rows(FrontTree& tree, int threads);

// Fills label and the entries. Sets and entries are those of `pattern`.
void place_entries(const PostorderedPattern& pattern, const PivotEntries& entries,
                   const Supernodes& sets, int threads, FrontTree& tree);

}  // namespace lufact
