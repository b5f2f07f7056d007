// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "gpu/batch/ours/lane_layouts.hpp"
#include "gpu/batch/tuning.hpp"

namespace lufact::gpu::ours {

// Every one of the layouts, with some numbers of warps a block, for the problem of the arrays. See
// TunedStage.
std::vector<TunedCandidate> measure_candidates(DeviceSession& session, BatchArrays& arrays,
                                               const std::vector<LaneLayout>& layouts,
                                               int repetitions);

}  // namespace lufact::gpu::ours
