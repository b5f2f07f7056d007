// SPDX-License-Identifier: BSD-3-Clause
// Factors that are kept on the host, because the device has no room for them: fronts in parts,
// whose factors take turns in two regions of the device's memory. While one part is worked with,
// the factors of the part before it leave, or those of the part after it arrive.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "core/fronts/plan/contribution_stack.hpp"

namespace lufact {

// Entries of the region of even parts, and of that of odd ones: the largest of their parts each.
std::array<Offset, 2> factor_regions(std::span<const Offset> factor_end);

struct FactorPartsPlan {
  FrontParts parts;
  std::vector<Offset> factor_end;  // as in TaskGraph
  Offset entries = 0;              // of both regions and of the arena of contribution blocks
};

// Gives contribution blocks their places such that both regions and their arena take at most `room`
// entries, in as few parts as can be found. Parts are contiguous in the order of fronts. Where none
// fit, the plan is the smallest that was found, and its `entries`, which exceed `room`, are the
// least that are needed. O(fronts) for each pair of limits that is tried: a few dozen, up to some
// hundred where there is little room.
FactorPartsPlan plan_factor_parts(Offset room, TaskGraph& graph);

// Tickets of the solves of one launch, counted through the sweep with L and then, from the last
// ticket to the first, through the sweep with U: first .. end. They are of one part, which has
// `tickets` for either sweep.
struct SolveLeg {
  Index part = 0, first = 0, end = 0, tickets = 0;
};

// L from the first part to the last, then U back: 2 * parts - 1 legs, since the last part is taken
// for both in one. `solve_end` as in TaskGraph, of one part at least.
std::vector<SolveLeg> solve_legs(std::span<const Index> solve_end);

}  // namespace lufact
