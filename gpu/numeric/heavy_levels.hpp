// SPDX-License-Identifier: BSD-3-Clause
// Which levels have a column with much work, for the choice of a kernel mode on the host.
#pragma once
#include <vector>

#include "gpu/matrix/device_products.hpp"
#include "gpu/numeric/factor_views.cuh"

namespace lufact::gpu {

// For each level: whether one of its columns makes at least `updates` updates, sub-columns times
// entries of its L part. One control read for every 512 levels.
std::vector<bool> find_heavy_levels(DeviceSession& session, const FactorPattern& pattern,
                                    const DeviceColumnSchedule& schedule, Offset updates);

}  // namespace lufact::gpu
