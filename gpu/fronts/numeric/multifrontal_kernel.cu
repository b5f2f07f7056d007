// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/numeric/multifrontal_kernel.hpp"
#include "gpu/fronts/numeric/ticket_tasks.cuh"

namespace lufact::gpu {
namespace {

// Tickets come in the order of the task graph, so that all tasks that a task waits for have been
// started before: no deadlock is possible, however few blocks are resident.
template <class T, Pivoting pivoting>
__global__ void __launch_bounds__(tile_threads, elimination_blocks)
    multifrontal_kernel(const __grid_constant__ FrontProblem<T> problem) {
  extern __shared__ __align__(16) char dynamic[];
  auto& memory = *reinterpret_cast<TaskMemory<T>*>(dynamic);
  __shared__ TaskRecord record[tile_warps];
  __shared__ BlocksAtHand<T> at_hand[tile_warps];
  TicketQueue queue(problem.sync.next_ticket);
  const TicketTasks<T> tasks{record, at_hand, memory, queue};
#pragma unroll 1
  for (;;) {
    const Index ticket = queue.next();
    if (ticket >= problem.plan.tickets) break;
    tasks.template run<pivoting>(problem.plan, problem, ticket);
  }
  problem.idle.clear();
  problem.report.finish();
}

template <class T>
auto kernel_with(Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows ? multifrontal_kernel<T, Pivoting::fixed_rows>
                                          : multifrontal_kernel<T, Pivoting::diagonal_block>;
}

}  // namespace

template <class T>
Offset resident_blocks(DeviceSession& session, Pivoting pivoting) {
  const auto kernel = kernel_with<T>(pivoting);
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   task_memory_bytes<T>));
  int resident = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, tile_threads,
                                                            task_memory_bytes<T>));
  return Offset{resident} * session.sm_count();
}

template <class T>
void eliminate_fronts(DeviceSession& session, const FrontProblem<T>& problem, Pivoting pivoting,
                      Offset blocks) {
  launch(session,
         {std::min<Offset>(blocks, problem.plan.tickets), tile_threads,
          static_cast<std::size_t>(task_memory_bytes<T>)},
         kernel_with<T>(pivoting), problem);
}

template Offset resident_blocks<float>(DeviceSession&, Pivoting);
template Offset resident_blocks<double>(DeviceSession&, Pivoting);

template void eliminate_fronts(DeviceSession&, const FrontProblem<float>&, Pivoting, Offset);
template void eliminate_fronts(DeviceSession&, const FrontProblem<double>&, Pivoting, Offset);

}  // namespace lufact::gpu
