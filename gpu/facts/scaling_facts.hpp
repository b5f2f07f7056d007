// SPDX-License-Identifier: BSD-3-Clause
// Facts of scaling stages (gpu/facts/stage_facts.hpp).
#pragma once
#include "gpu/facts/stage_facts.hpp"

namespace lufact::gpu {

struct ScalingFacts {
  StageInfo info;
};

using GpuScaling = StageOfFacts<ScalingStage, ScalingFacts>;

}  // namespace lufact::gpu
