// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/fronts/analysis/amalgamation_set.hpp"

namespace lufact {

// Merges sets on the longest paths of the forest into their parents where that makes the path
// shorter, whatever zeros it stores: a factorization that is bound by a path, as that of a circuit
// is, gains the hand-overs and the half-empty tiles of the fronts that are no more. Other sets stay
// as they are, so that next to no work is added. `sets` in postorder, the paths below them known.
void shorten_paths(AmalgamationSets& sets, const FrontPathRates& rates);

}  // namespace lufact
