// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/pipeline/stage.hpp"

namespace lufact::gpu {

// Stage `gpu-host-loop`: Kahn's topological sort (E2E Algorithm 5) with one launch per level; the
// host reads the length of the queue after each. The rule is options.dependency; levels and the
// order of columns are those of the CPU's stage. Sub-phases graph, levels.
std::unique_ptr<LevelizeStage> make_host_loop_levelize();

}  // namespace lufact::gpu
