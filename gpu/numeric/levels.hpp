// SPDX-License-Identifier: BSD-3-Clause
// The elimination, level by level, without control reads.
#pragma once
#include "gpu/numeric/level_plan.hpp"

namespace lufact::gpu {

// E2E Algorithm 2 over the levels of the schedule. `smallest_pivot` is the size below which pivots
// are replaced. The host knows only each level's shape; kernels read its place.
template <class T>
void run_levels(DeviceSession& session, const FactorsRef<T>& factors, const LevelPlan& plan,
                const DeviceColumnSchedule& schedule, T smallest_pivot, NumericCounters* counters);

}  // namespace lufact::gpu
