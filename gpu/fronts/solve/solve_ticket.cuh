// SPDX-License-Identifier: BSD-3-Clause
// What a block of the solves does with a ticket.
#pragma once
#include "gpu/fronts/solve/many_small_front.cuh"
#include "gpu/fronts/solve/many_tile_row.cuh"
#include "gpu/fronts/solve/small_front_sweep.cuh"
#include "gpu/fronts/solve/tile_row_sweep.cuh"

namespace lufact::gpu {

// Who solves with a tile row and with a small front, and what they need in shared memory.
template <class T, int columns, HandOver way, bool transposed>
struct Sweeps {
  static_assert(!transposed);

  using Row = TileRowSweep<T, columns, way>;
  using RowMemory = TileRowMemory<T, columns>;
  template <Pivoting pivoting>
  using Front = SmallFrontSweep<T, columns, way, pivoting>;
  using FrontMemory = SmallFrontVector<T, columns>;
};
template <class T, bool transposed>
struct Sweeps<T, many_columns, HandOver::by_words, transposed> {
  using Row = ManyTileRow<T, transposed>;
  using RowMemory = ManyTileRowMemory<T>;
  template <Pivoting pivoting>
  using Front = ManySmallFront<T, pivoting, transposed>;
  using FrontMemory = ManySmallFrontMemory<T>;
};

template <class T, int columns, HandOver way>
union SweepMemory {
  typename Sweeps<T, columns, way, false>::RowMemory row;
  typename Sweeps<T, columns, way, false>::FrontMemory front[solve_warps];
};

// In shared memory.
template <class T, int columns, HandOver way, bool transposed = false>
struct SolveTickets {
  using Own = Sweeps<T, columns, way, transposed>;

  SweepMemory<T, columns, way>& memory;
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
      typename Own::Row row(problem, record[0], memory.row);
      forwards ? row.forward() : row.backward();
    } else if (warp < count) {
      typename Own::template Front<pivoting> front(problem, record[warp], memory.front[warp]);
      forwards ? front.forward() : front.backward();
    }
  }
};

}  // namespace lufact::gpu
