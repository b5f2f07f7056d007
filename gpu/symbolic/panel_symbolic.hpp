// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// Stage `gpu-panels`: the exact pattern of L + U by bits on the elimination forest of B + B'
// (core/cpu has the same for the cores of a host):
//   - etree: the forest without locks, and what kind of pattern it is;
//   - sort: the edges in postorder, unless the rows of B are in that order already;
//   - bound: panels of up to 32 columns along paths of the forest, and for each its slots, the
//     later rows where it may have entries. The bound only gives places: the bits decide;
//   - fronts: elimination on the bits, for an unsymmetric pattern. A symmetric one needs none, as
//     its rows are row subtrees (Liu 1990);
//   - output: entries of each row, then the columns.
// Any labels; those in postorder save a sort and make the longest panels. What bounds it: launches
// where there is little to do; for unsymmetric patterns the height of the forest of panels, at some
// microseconds a level.
// Scratch: about 90 bytes a row, 12 an entry of B (24 more where edges are sorted) and 48 a slot;
// the columns of L + U are allocated beside the part of it that holds the slots. Only counters are
// read back. Throws Error{oom_device, "device_budget"} where that or the pattern does not fit.
std::unique_ptr<SymbolicStage> make_panel_symbolic();

}  // namespace lufact::gpu
