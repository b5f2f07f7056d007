// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/pipeline/front_products.hpp"

namespace lufact {

// A front adds up its children one after the other; where it has more of them than this, it waits
// long.
inline constexpr Index most_children = 12;

// The tree (as find_front_rows leaves it) in which no front has more than most_children children:
// what is too many is grouped under fronts without pivots, whose rows are the union of their
// children's, children with few rows first, so that the extend-add becomes a tree as well. Children
// whose rows overlap little are left alone beyond what a tile holds, and so are those of the
// longest paths, for which the front waits anyway, as far as there is room for them.
void group_children(FrontTree& tree);

}  // namespace lufact
