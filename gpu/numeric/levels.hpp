// SPDX-License-Identifier: BSD-3-Clause
// The elimination itself: level by level, without a word from the host.
#pragma once
#include "gpu/numeric/level_plan.hpp"

namespace lufact::gpu {

// E2E Algorithm 2 over the levels of the schedule. `smallest_pivot` is the size below which pivots
// are replaced. The host knows the shape of each level only; the kernels read where it lies.
template <class T>
void run_levels(DeviceSession& session, const FactorsRef<T>& factors, const LevelPlan& plan,
                const DeviceColumnSchedule& schedule, T smallest_pivot, NumericCounters* counters);

}  // namespace lufact::gpu
