// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// Stage `gpu-cdp`: E2E Algorithm 5, Kahn's topological sort with dynamic parallelism: the device
// launches each level itself. Sub-phases graph, levels, order.
std::unique_ptr<LevelizeStage> make_cdp_levelize();

}  // namespace lufact::gpu
