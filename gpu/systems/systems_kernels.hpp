// SPDX-License-Identifier: BSD-3-Clause
// Several systems in one launch: the tasks of the plan taken for each of them (SystemTickets), by
// the same code as for one, so that the bits of a system's factors and solutions are those that it
// has alone.
#pragma once
#include "core/pipeline/pivoting.hpp"
#include "gpu/runtime/session.hpp"
#include "gpu/systems/systems_problem.cuh"

namespace lufact::gpu {

// Blocks of each kernel that the card holds at a time. Prepares the kernels; once for all launches.
struct SystemsBlocks {
  Offset factorization = 0, solve = 0;
};
template <class T>
SystemsBlocks resident_system_blocks(DeviceSession& session, Pivoting pivoting);

// The words of problem.first.sync and of its counterparts must be zero. Both are asynchronous.
// `after_lanes`: the launch before is of lanes. Then tasks run beside its last fronts, and wait for
// their words.
template <class T>
void eliminate_systems(DeviceSession& session, const SystemsProblem<T>& problem, Pivoting pivoting,
                       Offset blocks, bool after_lanes);
template <class T>
void solve_systems(DeviceSession& session, const SystemsSolveProblem<T>& problem, Pivoting pivoting,
                   Offset blocks, bool after_lanes);

}  // namespace lufact::gpu
