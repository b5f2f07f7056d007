// SPDX-License-Identifier: BSD-3-Clause
// Room that contribution blocks take: fronts of even and of odd depth have an arena each, in which
// the block of a front and the blocks of its grandchildren's subtrees share one place.
#pragma once
#include <algorithm>
#include <vector>

#include "core/pipeline/front_products.hpp"

namespace lufact {

// Entries of a front's block, aligned to 16 bytes in either precision.
constexpr Offset block_entries(const FrontShape& shape) noexcept {
  constexpr Offset alignment = 4;
  return (Offset{shape.rows} * shape.rows + alignment - 1) / alignment * alignment;
}

// Entries of a subtree's blocks in the arena of its root and in the other one; or the first free
// place in either arena.
struct TwoArenas {
  Offset own = 0, other = 0;

  Offset both() const noexcept { return own + other; }
};

// Place of a front's parent in arrays that have an element more than fronts, for what is above the
// roots.
inline std::size_t parent_of(const std::vector<FrontShape>& shape, std::size_t f) {
  return shape[f].parent < 0 ? shape.size() : at(shape[f].parent);
}

// Needs of every front's subtree; the last element is that of all trees, as if under one root
// without a block.
inline std::vector<TwoArenas> subtree_needs(const std::vector<FrontShape>& shape) {
  std::vector<TwoArenas> need(shape.size() + 1);
  for (std::size_t f = 0; f < shape.size(); ++f) {
    need[f].own = std::max(need[f].own, block_entries(shape[f]));
    TwoArenas& above = need[parent_of(shape, f)];
    above.own += need[f].other;
    above.other += need[f].own;
  }
  return need;
}

// Where the arenas of a subtree begin. Takes them from what is left of its parent's arenas.
inline TwoArenas take_arenas(const TwoArenas& need, TwoArenas& left) {
  const TwoArenas begin{left.other, left.own};
  left.other += need.own;
  left.own += need.other;
  return begin;
}

}  // namespace lufact
