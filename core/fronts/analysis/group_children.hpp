// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/pipeline/front_products.hpp"
#include "core/rates/rates.hpp"

namespace lufact {

// Children that a front may have. The extend-add of a front takes its children one after the other,
// so that a front with more children would be late.
inline constexpr Index most_children = 12;

// The fronts of a tree and the grouping fronts that were added to it, in a new postorder.
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

// Gives the contribution rows of a front of the old tree.
using RowsOfFront = std::function<std::span<const Index>(Index)>;

// Returns the tree in which no front has more than most_children children, as far as grouping can
// achieve that; reads n, first, parent and row_ptr of `tree`. A grouping front has no pivots, and
// its rows are the union of its children's rows, so that the extend-add of many children becomes a
// tree as well. Children with few rows are grouped first. Two kinds of children stay outside
// groups: those whose rows overlap so little that the union would be larger than a tile, and, as
// far as there is room, those on the longest paths, for which the front waits anyway. Calls rows_of
// for the fronts of children_to_group alone.
GroupedFronts group_fronts(const FrontTree& tree, const RowsOfFront& rows_of,
                           const FrontPathRates& rates);

// Fronts whose parents have more than most_children children, ascending.
std::vector<Index> children_to_group(std::span<const Index> parent);

// Replaces a tree made by find_front_rows by the tree that group_fronts returns.
void group_children(FrontTree& tree, const FrontPathRates& rates);

}  // namespace lufact
