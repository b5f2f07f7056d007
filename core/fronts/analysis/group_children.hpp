// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/pipeline/front_products.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

// A front adds up its children one after the other; where it has more of them than this, it waits
// long.
inline constexpr Index most_children = 12;

// Fronts of a tree beside the grouping fronts that they get, in a new postorder.
struct GroupedFronts {
  std::vector<Index> origin;  // of each front: its old number, or -1 - g for grouping front g
  std::vector<Index> first, parent;  // as in FrontTree
  std::vector<Offset> row_ptr{0};
  std::vector<Index> group_row;  // rows of grouping front g: group_ptr[g] .. group_ptr[g+1]
  std::vector<Offset> group_ptr{0};

  std::span<const Index> rows_of_group(Index group) const noexcept {
    const auto g = static_cast<std::size_t>(group);
    return {group_row.data() + group_ptr[g],
            static_cast<std::size_t>(group_ptr[g + 1] - group_ptr[g])};
  }
};

// Contribution rows of a front of the old tree.
using RowsOfFront = std::function<std::span<const Index>(Index)>;

// The tree (n, first, parent and row_ptr of it) in which no front has more than most_children
// children: what is too many is grouped under fronts without pivots, whose rows are the union of
// their children's, children with few rows first, so that the extend-add becomes a tree as well.
// Children whose rows overlap little are left alone beyond what a tile holds, and so are those of
// the longest paths, for which the front waits anyway, as far as there is room for them. Asks for
// the rows of children_to_group alone.
GroupedFronts group_fronts(const FrontTree& tree, const RowsOfFront& rows_of,
                           const FrontPathRates& rates);

// Fronts whose parents have more than most_children children, ascending.
std::vector<Index> children_to_group(std::span<const Index> parent);

// The same on a tree as find_front_rows leaves it.
void group_children(FrontTree& tree, const FrontPathRates& rates);

}  // namespace lufact
