// SPDX-License-Identifier: BSD-3-Clause
// Where contribution blocks stand in their arena.
#pragma once
#include <vector>

#include "core/pipeline/front_products.hpp"

namespace lufact {

// Gives every contribution block its place. A block is written when all children of its front are
// complete, so that nothing below them is read any more: it may stand where blocks two and more
// generations below it stood. Fronts of even and of odd depth have an arena each, in which the
// block of a front and the blocks of its grandchildren's subtrees share one place.
void place_contributions(TaskGraph& graph);

// Fronts in parts that are eliminated one after the other.
struct FrontParts {
  Index count = 1;
  std::vector<Index>
      part;  // of each front, where there are several; children no later than parents
};

// The same with less memory: the largest subtrees whose blocks take at most `most` entries, and the
// fronts above them, in parts that take at most so many new entries, or one front that takes more.
// The blocks inside the subtrees of a part stand where those of the part before stood. Those of
// their roots and of the fronts above keep their places until the part of their parent is complete.
FrontParts place_in_parts(Offset most, TaskGraph& graph);

}  // namespace lufact
