// SPDX-License-Identifier: BSD-3-Clause
// What a block of the factorization does with a ticket of the task graph.
#pragma once
#include "gpu/fronts/numeric/tile_task.cuh"

namespace lufact::gpu {

inline constexpr int elimination_blocks = 3;  // of a multiprocessor at a time

template <class T>
union TaskMemory {
  TileMemory<T> tile;
  WarpFrontMemory<T> warp_front[tile_warps];
};
template <class T>
constexpr int task_memory_bytes = static_cast<int>(sizeof(TaskMemory<T>));

// In shared memory, beside TaskMemory.
template <class T>
struct TicketTasks {
  TaskRecord (&record)[tile_warps];
  BlocksAtHand<T> (&at_hand)[tile_warps];
  TaskMemory<T>& memory;
  PanelBarriers& barriers;
  TicketQueue& queue;

  // By all threads of a block. `plan` and `problem.plan` are the same plan: problem and rule may be
  // in shared memory that was written since the last barrier. One is passed before they are read.
  // A warp that has no front of its own is left with a record of front -1.
  template <Pivoting pivoting, ProductWay way, class Watch = NoWatch>
  __device__ void run(const FrontPlan& plan, const FrontProblem<T>& problem,
                      const PivotRule<T>& rule, Index ticket, Watch watch = {}) const {
    const int warp = BlockGroup::warp();
    const Index first = plan.ticket[ticket];
    const Index count = plan.ticket[ticket + 1] - first;
    if (warp < count) {
      record[warp].load(plan.record[first + warp]);
    } else {
      record[warp].task.front = -1;
    }
    __syncthreads();
    watch.begin(record[0].task.kind);
    watch.done(BlockWork::ticket);
    if (record[0].task.kind != TaskKind::warp_front) {
      TileTask<T, pivoting, way, AssembledTiles, Watch>(problem, rule, record[0], memory.tile,
                                                        barriers, at_hand[0], queue, {}, watch)
          .run();
      watch.done(BlockWork::storing);
    } else if (warp < count) {
      WarpFront<T, pivoting>(problem, rule, record[warp], memory.warp_front[warp], at_hand[warp],
                             queue)
          .run();
      watch.done(BlockWork::elimination);
    }
  }
};

}  // namespace lufact::gpu
