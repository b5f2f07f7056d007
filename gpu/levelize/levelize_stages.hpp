// SPDX-License-Identifier: BSD-3-Clause
// The levelization stages on the device: facts and an engine each. Sub-phases graph, levels, order.
#pragma once
#include <memory>

#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

// `gpu-host-loop`: Kahn's topological sort (E2E Algorithm 5) with one launch per level; the host
// reads the length of the queue after each.
std::unique_ptr<LevelizeStage> make_host_loop_levelize();
const LevelizeFacts& host_loop_levelize_facts();

// `gpu-cdp`: E2E Algorithm 5, Kahn's topological sort with dynamic parallelism: the device launches
// each level itself.
std::unique_ptr<LevelizeStage> make_cdp_levelize();
const LevelizeFacts& cdp_levelize_facts();

// `gpu-cooperative`: Kahn's topological sort in one cooperative kernel, whose blocks meet at a
// grid-wide barrier after each level.
std::unique_ptr<LevelizeStage> make_cooperative_levelize();
const LevelizeFacts& cooperative_levelize_facts();

// `gpu-sync-free`: one kernel in which columns wait for the levels of the columns before them (the
// idea of Liu et al.'s synchronisation-free triangular solve, Euro-Par 2016, and of Dufrechou and
// Ezzatti's level sets). The graph is pruned (pruned_graph.hpp).
std::unique_ptr<LevelizeStage> make_sync_free_levelize();
const LevelizeFacts& sync_free_levelize_facts();

}  // namespace lufact::gpu
