// SPDX-License-Identifier: BSD-3-Clause
// What a block of the solves does with a ticket.
#pragma once
#include "gpu/fronts/solve/small_front_sweep.cuh"
#include "gpu/fronts/solve/tile_row_sweep.cuh"

namespace lufact::gpu {

template <class T, int columns>
union SweepMemory {
  TileRowMemory<T, columns> row;
  SmallFrontVector<T, columns> front[solve_warps];
};

// In shared memory.
template <class T, int columns, HandOver way>
struct SolveTickets {
  SweepMemory<T, columns>& memory;
  TaskRecord (&record)[solve_warps];

  // `drawn` counts the plan's tickets for L, then, from its last ticket to its first, those for U.
  // By all threads of a block. `plan` and `problem.plan` are the same plan: the problem may be in
  // shared memory that was written since the last barrier. One is passed before it is read.
  template <Pivoting pivoting>
  __device__ void run(const FrontPlan& plan, const SweepProblem<T, way>& problem,
                      Index drawn) const {
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const bool forwards = drawn < plan.tickets;
    const Index ticket = forwards ? drawn : 2 * plan.tickets - 1 - drawn;
    const Index first = plan.ticket[ticket];
    const Index count = plan.ticket[ticket + 1] - first;
    if (warp < count) record[warp].load(plan.record[first + warp]);
    __syncthreads();
    if (record[0].shape.tiles > 0) {
      TileRowSweep<T, columns, way> row(problem, record[0], memory.row);
      forwards ? row.forward() : row.backward();
    } else if (warp < count) {
      SmallFrontSweep<T, columns, way, pivoting> front(problem, record[warp], memory.front[warp]);
      forwards ? front.forward() : front.backward();
    }
  }
};

}  // namespace lufact::gpu
