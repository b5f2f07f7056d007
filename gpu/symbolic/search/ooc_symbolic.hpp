// SPDX-License-Identifier: BSD-3-Clause
// The stages of E2E's symbolic family: the exact pattern of L + U by the fill2 search of every
// source row (Algorithm 1), in two passes over chunks of rows. The stages share kernels and passes.
// They differ only in the chunks and in the memory of the work arrays; only counters are read back.
// Sub-phases count, scan, positions; allocate, host-start and free where arrays are kept for both
// passes; in them probe, evict, prefetch (of managed pages) and read (of counters). Each throws
// Error{oom_device} where not even one row fits, or the pattern does not. options.symbolic_words
// pads what a row takes.
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// `gpu-ooc-naive`: chunks of one size that fit into what the budget leaves (Algorithm 3).
std::unique_ptr<SymbolicStage> make_ooc_naive_symbolic();
const SymbolicFacts& ooc_naive_symbolic_facts();

// `gpu-ooc`: chunk sizes of their own for parts of the rows (Algorithm 4; options.symbolic_parts).
// The last part is searched beside the others, on a second stream; where few chunks hold all rows
// nothing is divided.
std::unique_ptr<SymbolicStage> make_ooc_symbolic();
const SymbolicFacts& ooc_symbolic_facts();

// `gpu-um`, `gpu-um-prefetch` (E2E 4.3): one allocation of managed memory for as many rows as
// options.managed.bytes holds; pages move when touched (gpu-um), or before each chunk. The options
// host_start and evict_between_chunks put the pages on the host before and between chunks.
std::unique_ptr<SymbolicStage> make_um_symbolic();
const SymbolicFacts& um_symbolic_facts();
std::unique_ptr<SymbolicStage> make_um_prefetch_symbolic();
const SymbolicFacts& um_prefetch_symbolic_facts();

// `gpu-fill2-plain`: fill2 as GSoFa's Fig. 3(b) has it, a thread for each source row, chunks as
// those of gpu-ooc-naive: the GPU baseline of GSoFa's Fig. 10.
std::unique_ptr<SymbolicStage> make_fill2_plain_symbolic();
const SymbolicFacts& fill2_plain_symbolic_facts();

// `gpu-in-core`: one allocation for all rows. The device limit, where there is one, still holds.
std::unique_ptr<SymbolicStage> make_in_core_symbolic();
const SymbolicFacts& in_core_symbolic_facts();

}  // namespace lufact::gpu
