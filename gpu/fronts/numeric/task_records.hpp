// SPDX-License-Identifier: BSD-3-Clause
// Arrays that the device derives from a task graph before the first factorization.
#pragma once
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/fronts/tasks/front_problem.cuh"
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// records[t] := task t with its front's shape. Asynchronous.
void make_records(DeviceSession& session, const DeviceOrderedTasks& tasks,
                  const DeviceTaskGraph& graph, TaskRecord* records);

// scale[e] := row_scale * col_scale for the entry of B behind the graph's entry e. Asynchronous.
void make_entry_scales(DeviceSession& session, const DevicePermutedMatrix& matrix,
                       const DeviceTaskGraph& graph, double* scale);

}  // namespace lufact::gpu
