// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// Stage `gpu-fill2`: the exact pattern of L + U by a fill2 search of every source row, each on its
// own (no search uses results of another row), tuned freely:
//   - The symmetric part of the pattern is contracted to its elimination forest, so that a search
//     follows parents and crossing edges instead of all edges (fill2_search.cuh). In a symmetric
//     pattern a search only climbs the row subtree (Liu 1986).
//   - Searches find only entries left of the diagonal. Columns of U are rows of L of the transpose,
//     found by the same search of the transpose; a symmetric pattern needs one search a row.
//   - Marks are bitmaps, in shared memory up to 96 KiB a row.
// Two passes, counts and positions, each one launch over all rows in all directions, with as many
// rows in flight as the card runs at once, or fewer where the budget is small. Where much budget is
// left, rows of an unsymmetric pattern are kept from the first pass for the second.
// Its time is bounded by long rows of patterns with little symmetric part: a search takes the
// thresholds that lead down to new vertices one after another, about a microsecond each.
// Scratch beside the marks: 12 bytes a row; for an unsymmetric pattern about 60 bytes a row, 4 an
// entry and 8 a crossing edge more, and at most 64 MiB of kept entries. Sub-phases graph, count,
// scan, positions. Only counters are read back. Throws Error{oom_device, "device_budget"} where not
// even one row fits, or the pattern does not.
std::unique_ptr<SymbolicStage> make_fill2_symbolic();
const SymbolicFacts& fill2_symbolic_facts();

}  // namespace lufact::gpu
