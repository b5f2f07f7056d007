// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/fronts/analysis/arrowheads.hpp"
#include "core/fronts/analysis/postordered_pattern.hpp"
#include "core/fronts/analysis/supernodes.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {

// Fills label, the entries, and parent_row, the relative indices of extend-add: for each
// contribution row of a front, its row in the parent's front. `sets` and `entries` are those of
// `pattern`.
void make_assembly_maps(const PostorderedPattern& pattern, const Arrowheads& entries,
                        const Supernodes& sets, int threads, FrontTree& tree);

}  // namespace lufact
