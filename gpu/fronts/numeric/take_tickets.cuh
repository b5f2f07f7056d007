// SPDX-License-Identifier: BSD-3-Clause
// What every block of the factorization's kernel does.
#pragma once
#include "gpu/fronts/numeric/ticket_tasks.cuh"

namespace lufact::gpu {

// Raises the word of a small front that the warp, or the block, has stored the factors of. By all
// threads, a barrier after the task; told with the next ticket, since to wait for the stores at
// once would hold up the warp. Not inlined, as IdleWords::clear().
__device__ __noinline__ inline void tell_of_stored(unsigned* stored, const TaskRecord& record) {
  const bool small =
      record.task.kind == TaskKind::warp_front || record.task.kind == TaskKind::block_front;
  if (threadIdx.x % unsigned{warp_size} == 0 && record.task.front >= 0 && small) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(stored[record.task.front])
        .store(1, cuda::memory_order_release);
  }
  __syncwarp();
}

// Tickets come in the order of the task graph, so that all tasks that a task waits for have been
// started before: no deadlock is possible, however few blocks are resident. Needs
// task_memory_bytes<T> of dynamic shared memory.
template <class T, Pivoting pivoting, ProductWay way, class Watch = NoWatch>
__device__ void take_tickets(const FrontProblem<T>& problem, Watch watch = {}) {
  extern __shared__ __align__(16) char dynamic[];
  auto& memory = *reinterpret_cast<TaskMemory<T>*>(dynamic);
  __shared__ TaskRecord record[tile_warps];
  __shared__ BlocksAtHand<T> at_hand[tile_warps];
  __shared__ PanelBarriers barriers;
  barriers.init();
  wait_for_previous();  // which may still place the values
  __shared__ PivotRule<T> rule;
  if (threadIdx.x == 0) rule = problem.pivot_rule();  // seen behind the barriers of a ticket
  if (problem.sync.stored != nullptr) let_next_start();
  if (threadIdx.x < unsigned{tile_warps}) record[threadIdx.x].task.front = -1;  // none yet
  TicketQueue queue(problem.sync.next_ticket);
  const TicketTasks<T> tasks{record, at_hand, memory, barriers, queue};
#pragma unroll 1
  for (;;) {
    const Index ticket = queue.next();
    if (problem.sync.stored != nullptr)
      tell_of_stored(problem.sync.stored, record[BlockGroup::warp()]);
    if (ticket >= problem.plan.tickets) break;
    tasks.template run<pivoting, way>(problem.plan, problem, rule, ticket, watch);
  }
  problem.idle.clear();
  problem.report.finish();
}

}  // namespace lufact::gpu
