// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "core/base/types.hpp"
#include "core/pipeline/systems.hpp"

namespace lufact::gpu {

// Fronts of all systems together from which small ones go by lanes: with fewer, a warp for each
// front of each system ends sooner. On an H200 lanes were 0.89 to 0.94 times as fast up to 46,000
// fronts, and 0.99 times or more from 58,000 on (docs/many-systems.md).
inline constexpr Offset fronts_for_lanes = 60'000;

// Beside `gpu-multifrontal`: the tasks of its plan taken once for every system, in one launch for
// the factorization and one for each solve. As many systems at a time as the budget of the device
// holds the factors of. Float and double, with and without exchanged rows.
std::unique_ptr<SystemsStage> make_device_systems(Offset least_fronts_for_lanes = fronts_for_lanes);

}  // namespace lufact::gpu
