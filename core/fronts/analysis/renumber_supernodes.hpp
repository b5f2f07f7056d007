// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/fronts/analysis/amalgamate.hpp"

namespace lufact {

// Numbers the supernodes that are left of `sets`, in postorder, and gives every column a position.
// A merged supernode takes the turn of its topmost member and has the columns of all members in
// ascending order. Every `into` of `sets` becomes the topmost member. One thread numbers a range,
// several ranges at the same time; the result is the same for any ranges.
AmalgamatedSets renumber_supernodes(AmalgamationSets& sets, const SubtreeRanges& ranges,
                                    int threads);

}  // namespace lufact
