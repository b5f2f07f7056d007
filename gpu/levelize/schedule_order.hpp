// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// A schedule of n columns with its arrays allocated, their contents still to come.
std::shared_ptr<DeviceColumnSchedule> allocate_schedule(DeviceSession& session, Index n,
                                                        DependencyRule rule);

// From the level of each column everything else: columns by level, ascending inside a level, the
// level offsets, their number and the largest width. Every level from 0 on must have a column. A
// stable radix sort and two small kernels; one control read.
void complete_schedule(DeviceSession& session, DeviceColumnSchedule& schedule);

}  // namespace lufact::gpu
