// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// Stage `gpu-cooperative`: Kahn's topological sort in one cooperative kernel, whose blocks meet at
// a grid-wide barrier after each level. Sub-phases graph, levels, order.
std::unique_ptr<LevelizeStage> make_cooperative_levelize();

}  // namespace lufact::gpu
