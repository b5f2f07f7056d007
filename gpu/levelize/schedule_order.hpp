// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// A schedule of n columns with allocated arrays of unspecified contents.
std::shared_ptr<DeviceColumnSchedule> allocate_schedule(DeviceSession& session, Index n,
                                                        DependencyRule rule);

// Fills everything else from the level of each column: columns by level, ascending inside a level,
// level offsets, the number of levels and the largest width. Every level from 0 on must have a
// column. A stable radix sort and two small kernels; one control read.
void complete_schedule(DeviceSession& session, DeviceColumnSchedule& schedule);

}  // namespace lufact::gpu
