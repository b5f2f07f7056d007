// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/fronts/analysis/amalgamation_set.hpp"

namespace lufact {

// Merges supernodes on the longest paths of the forest into their parents where that makes the path
// shorter, whatever zeros this stores. A factorization bound by its longest path, as of a circuit,
// saves the hand-overs and the half-empty tiles of the fronts that are merged away. Other
// supernodes stay as they are, so that next to no work is added. `sets` in postorder, with `below`
// filled.
void shorten_paths(AmalgamationSets& sets, const FrontPathRates& rates);

}  // namespace lufact
