// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// Stage `gpu-ooc`: the exact pattern of L + U by the fill2 search of every source row (E2E
// Algorithm 1), in two passes over chunks of rows that fit into what the budget leaves (Algorithm
// 3), with chunk sizes of their own for parts of the rows (Algorithm 4; options.symbolic_parts).
// Sub-phases probe, count, scan, positions. Only counters are read back. Throws Error{oom_device,
// "device_budget"} where not even one row fits, or the pattern does not.
std::unique_ptr<SymbolicStage> make_ooc_symbolic();

}  // namespace lufact::gpu
