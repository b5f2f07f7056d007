// SPDX-License-Identifier: BSD-3-Clause
// The work of the columns of each level, for the choice of a kernel mode on the host.
#pragma once
#include <vector>

#include "gpu/matrix/device_products.hpp"
#include "gpu/numeric/factor_views.cuh"
#include "gpu/numeric/glu_modes.hpp"

namespace lufact::gpu {

// The load of each level. One control read for every 128 levels.
std::vector<LevelLoad> find_level_loads(DeviceSession& session, const FactorPattern& pattern,
                                        const DeviceColumnSchedule& schedule);

}  // namespace lufact::gpu
