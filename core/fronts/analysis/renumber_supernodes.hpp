// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/fronts/analysis/amalgamate.hpp"

namespace lufact {

// Numbers what is left of `sets`, in postorder, and places the columns of each: a set of merged
// ones keeps the place of its topmost, and has their columns in ascending order. Every `into` of
// `sets` becomes that topmost one. The sets of a range are numbered by one thread, several ranges
// at the same time; the result is the same for any ranges.
AmalgamatedSets renumber_supernodes(AmalgamationSets& sets, const SubtreeRanges& ranges,
                                    int threads);

}  // namespace lufact
