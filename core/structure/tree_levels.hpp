// SPDX-License-Identifier: BSD-3-Clause
// Heights in an elimination forest, which are the levels of its columns.
#pragma once
#include <span>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// Height of each node above the deepest leaf below it: 0 for a leaf. A column can be eliminated
// when all lower ones are. `parent` has -1 for a root and larger numbers than the child. O(n).
std::vector<Index> tree_heights(std::span<const Index> parent);

// Nodes of each height, from 0 on. O(n).
std::vector<Offset> level_widths(std::span<const Index> height);

}  // namespace lufact
