// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// Stage `gpu-panels`: the exact pattern of L + U by bits on the elimination forest of B + B'
// (core/columns has the same for the cores of a host):
//   - etree: the forest without locks, and whether the pattern is symmetric;
//   - sort: the edges in postorder, unless the rows of B are in that order already;
//   - bound: panels of up to 32 columns along paths of the forest, and for each its slots, the
//     later rows where it may have entries. The bound only gives places: the bits decide;
//   - fronts: elimination on the bits, for an unsymmetric pattern. A symmetric one needs none, as
//     its rows are row subtrees (Liu 1990);
//   - output: entries of each row, then the columns.
// Takes any labels; a postorder saves a sort and makes the longest panels. Its time is bounded by
// launches where there is little to do, and for unsymmetric patterns by the height of the forest of
// panels, at some microseconds a level.
// Scratch, in turn: 64 bytes a row and 20 an entry of B for the forest; 40 a row, 12 an entry (8
// more where edges are sorted) and 48 a slot for the slots; beside the columns of L + U 40 a row
// and 28 a slot. Of a mesh there is a slot for 30 to 50 entries of L + U, of a circuit for 3 to 12.
// Only counters are read back. Throws Error{oom_device, "device_budget"} where one of these or the
// pattern does not fit. Warns (path_like_forest) where the levels take most of the time.
std::unique_ptr<SymbolicStage> make_panel_symbolic();
const SymbolicFacts& panel_symbolic_facts();

}  // namespace lufact::gpu
