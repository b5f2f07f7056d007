// SPDX-License-Identifier: BSD-3-Clause
// Small fronts of several systems, a front of a group of systems by a warp. Asynchronous.
#pragma once
#include "gpu/runtime/session.hpp"
#include "gpu/systems/lane_problem.cuh"

namespace lufact::gpu {

// Blocks of each kernel that the card holds at a time. Prepares the kernels; once for all launches.
struct LaneBlocks {
  Offset factorization = 0, forward = 0, backward = 0;
};
template <class T>
LaneBlocks resident_lane_blocks(DeviceSession& session);

// The words of `done` and the ticket must be zero, as must be the systems' words.
template <class T>
void eliminate_by_lanes(DeviceSession& session, const LaneProblem<T>& problem, Offset blocks);
template <class T>
void solve_forward_by_lanes(DeviceSession& session, const LaneSolveProblem<T>& problem,
                            Offset blocks);
template <class T>
void solve_backward_by_lanes(DeviceSession& session, const LaneSolveProblem<T>& problem,
                             Offset blocks);

}  // namespace lufact::gpu
