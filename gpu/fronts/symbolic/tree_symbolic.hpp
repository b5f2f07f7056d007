// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// Stage `gpu-fronts`: the front tree of the pattern of B + B', the same as that of `cpu-fronts`
// (core/fronts), entry by entry, for any labels:
//   - forest: without locks, as gpu-panels finds it; rows and columns are relabelled where their
//     labels are not a postorder of it, and the edges sorted where the pattern is unsymmetric;
//   - count: column counts from neighbours that follow each other in a row (Gilbert, Ng, Peyton
//     1994), sets of nested columns and of small subtrees;
//   - merge: 24 bytes a supernode go to the host, which amalgamates by the rules of cpu-fronts, on
//     several threads: a tree of small decisions, each after those below it, then one path after
//     the other. The new place of each supernode and 8 bytes a front go back. Meanwhile the device
//     sorts the entries below the diagonal by column;
//   - rows: the rows of all fronts at once, by climbing the forest of fronts from the edges, and
//     one sort. Where a front has too many children the host plans groups of children, from their
//     rows alone;
//   - positions: relative indices of rows by search, entries of B by front.
// Its time is bounded by the host's part of merging, by launches where there is little to do, and
// by paths through high forests, each of which one thread climbs.
// Scratch: 36 bytes a row and 4 an entry of B for the forest, and 12 a row and 8 an entry more
// where B is relabelled; these stay, and so do 12 a row for positions and 20 a row and 16 an entry,
// with as much as sorting takes, from merging on. Beside them in turn: 8 an entry and 8 a row while
// the forest is built; 48 a row for counts; 8 an entry, 8 a row and 12 a contribution row for rows,
// with what sorting takes, and 8 an entry that is sorted where the pattern is unsymmetric.
// Resident: 4 bytes a row, 8 a contribution row and 12 an entry of B. Throws Error{oom_device,
// "device_budget"} that names what does not fit, and Error{unsupported, "index_overflow"} for more
// than 2^31 - 1 entries.
std::unique_ptr<SymbolicStage> make_tree_symbolic();
const SymbolicFacts& tree_symbolic_facts();

}  // namespace lufact::gpu
