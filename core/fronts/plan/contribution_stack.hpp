// SPDX-License-Identifier: BSD-3-Clause
// Places of contribution blocks in their arena.
#pragma once
#include <limits>
#include <vector>

#include "core/pipeline/front_products.hpp"

namespace lufact {

// Gives every contribution block its place. A front writes its block when its children are
// complete. Nothing below the children is read any more then, so that the block may take the place
// of blocks two and more generations below. Fronts of even and of odd depth have an arena each, in
// which the block of a front and the blocks of its grandchildren's subtrees share one place.
void place_contributions(TaskGraph& graph);

// Fronts in parts that are eliminated one after the other.
struct FrontParts {
  Index count = 1;
  std::vector<Index>
      part;  // of each front, where there are several; children no later than parents
};

// Entries that a part may take: new ones for contribution blocks, and what its fronts store of the
// factors.
struct PartLimits {
  Offset contributions = 0;
  Offset factors = std::numeric_limits<Offset>::max();
  // The fronts of a part follow one another, as what they store does. Subtrees of which other
  // fronts are in between, as grouping fronts have them, are then not taken as a whole.
  bool contiguous = false;
};

// Gives blocks their places in less memory, by eliminating fronts in parts. The forest is cut into
// the largest subtrees that keep within the limits, and the fronts above. A part of these keeps
// within them as well, or is one front that takes more. Blocks inside the subtrees of a part take
// the places of those of the part before. Blocks of the subtrees' roots and of the fronts above
// keep their places until the part of their parent is complete.
FrontParts place_in_parts(const PartLimits& most, TaskGraph& graph);

}  // namespace lufact
