// SPDX-License-Identifier: BSD-3-Clause
// `gpu-gsofa` (GSoFa, sections 4 to 6): the exact pattern of L + U by a level-synchronous search of
// every source row over the graph of the matrix, with corrections of Fig. 6 that the README lists.
// Batches of sources share one frontier queue in one cooperative kernel; a batch is counted,
// scanned and written as soon as it has converged. options.gsofa has its switches;
// options.supernodes says whether it looks for T3 supernodes, which it does unless told otherwise.
// Bounded by the edges that it looks at, again and again where paths of smaller maximum are found
// late, and by a grid barrier for each step of the longest path of a batch. Memory beside the
// pattern: one array of options.gsofa.budget bytes at most, and 8 bytes a row where a GsofaReach
// makes room in it. Sub-phases reach, array, reinitialise, search, spill, positions, supernodes;
// those of several devices stand in distributed_gsofa.hpp. Throws Error{oom_device, "gsofa_budget"}
// where the array does not hold one source, "device_budget" where the pattern does not fit,
// Error{unsupported, "matrix_too_large"} from 2^30 rows on.
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

std::unique_ptr<SymbolicStage> make_gsofa_symbolic();
const SymbolicFacts& gsofa_symbolic_facts();

}  // namespace lufact::gpu
