// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// Stage `gpu-host-loop`: Kahn's topological sort (E2E Algorithm 5) with one launch per level; the
// host reads the length of the queue after each. Sub-phases graph, levels, order.
std::unique_ptr<LevelizeStage> make_host_loop_levelize();

}  // namespace lufact::gpu
