// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/array/array_stage.hpp"
#include "core/batch/batch_arrays.hpp"

namespace lufact::gpu {

// The median time on the device, in seconds, of `repetitions` >= 1 runs on restored arrays, after
// one for warming up.
double median_launch_seconds(DeviceSession& session, BatchArrays& arrays, PreparedArrays& work,
                             int repetitions);

}  // namespace lufact::gpu
