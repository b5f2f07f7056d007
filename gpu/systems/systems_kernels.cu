// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/numeric/ticket_tasks.cuh"
#include "gpu/fronts/solve/solve_ticket.cuh"
#include "gpu/systems/systems_kernels.hpp"

namespace lufact::gpu {
namespace {

// Of one system tickets come in the plan's order: all tasks that a task waits for have been started
// before, however few blocks are resident.
template <class T, Pivoting pivoting>
__global__ void __launch_bounds__(tile_threads, elimination_blocks)
    systems_kernel(const __grid_constant__ SystemsProblem<T> problem) {
  let_next_start();
  extern __shared__ __align__(16) char dynamic[];
  auto& memory = *reinterpret_cast<TaskMemory<T>*>(dynamic);
  __shared__ TaskRecord record[tile_warps];
  __shared__ BlocksAtHand<T> at_hand[tile_warps];
  __shared__ PanelBarriers barriers;
  barriers.init();
  __shared__ SharedProblem<FrontProblem<T>> own;
  TicketQueue queue(problem.first.sync.next_ticket);
  const TicketTasks<T> tasks{record, at_hand, memory, barriers, queue};
#pragma unroll 1
  for (;;) {
    const Index drawn = queue.next();
    if (drawn >= problem.order.count()) break;
    const SystemTicket next = problem.order.at(drawn);
    if (threadIdx.x == 0) own.get() = problem.of(next.system);
    tasks.template run<pivoting, ProductWay::panels>(problem.first.plan, own.get(), own.get().rule,
                                                     next.ticket);
  }
  wait_for_previous();  // that of lanes, whose end is part of this one's
}

// A system's tickets of U follow those of L.
template <class T, Pivoting pivoting>
__global__ void __launch_bounds__(solve_threads, 2)
    systems_solve_kernel(const __grid_constant__ SystemsSolveProblem<T> problem) {
  let_next_start();
  __shared__ SweepMemory<T, 1, HandOver::by_words> memory;
  __shared__ TaskRecord record[solve_warps];
  __shared__ SharedProblem<SolveProblem<T>> own;
  const SolveTickets<T, 1, HandOver::by_words> tickets{memory, record};
  TicketQueue queue(problem.first.next_ticket);
#pragma unroll 1
  for (;;) {
    const Index drawn = queue.next();
    if (drawn >= problem.order.count()) break;
    const SystemTicket next = problem.order.at(drawn);
    if (threadIdx.x == 0) own.get() = problem.of(next.system);
    tickets.template run<pivoting>(problem.first.plan, own.get(), next.ticket);
  }
  wait_for_previous();  // as above
}

template <class T>
auto elimination_kernel(Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows ? systems_kernel<T, Pivoting::fixed_rows>
                                          : systems_kernel<T, Pivoting::diagonal_block>;
}
template <class T>
auto solve_kernel(Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows ? systems_solve_kernel<T, Pivoting::fixed_rows>
                                          : systems_solve_kernel<T, Pivoting::diagonal_block>;
}

template <class Problem>
void launch_as(bool early, DeviceSession& session, const LaunchShape& shape,
               void (*kernel)(Problem), const Problem& problem) {
  early ? launch_early(session, shape, kernel, problem) : launch(session, shape, kernel, problem);
}

}  // namespace

template <class T>
SystemsBlocks resident_system_blocks(DeviceSession& session, Pivoting pivoting) {
  const auto elimination = elimination_kernel<T>(pivoting);
  LUFACT_CUDA(cudaFuncSetAttribute(elimination, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   task_memory_bytes<T>));
  int factoring = 0, solving = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&factoring, elimination, tile_threads,
                                                            task_memory_bytes<T>));
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&solving, solve_kernel<T>(pivoting),
                                                            solve_threads, 0));
  return {Offset{factoring} * session.sm_count(), Offset{solving} * session.sm_count()};
}

template <class T>
void eliminate_systems(DeviceSession& session, const SystemsProblem<T>& problem, Pivoting pivoting,
                       Offset blocks, bool after_lanes) {
  launch_as(after_lanes, session,
            {std::min<Offset>(blocks, problem.order.count()), tile_threads,
             static_cast<std::size_t>(task_memory_bytes<T>)},
            elimination_kernel<T>(pivoting), problem);
}

template <class T>
void solve_systems(DeviceSession& session, const SystemsSolveProblem<T>& problem, Pivoting pivoting,
                   Offset blocks, bool after_lanes) {
  launch_as(after_lanes, session, {std::min<Offset>(blocks, problem.order.count()), solve_threads},
            solve_kernel<T>(pivoting), problem);
}

template SystemsBlocks resident_system_blocks<float>(DeviceSession&, Pivoting);
template SystemsBlocks resident_system_blocks<double>(DeviceSession&, Pivoting);
template void eliminate_systems(DeviceSession&, const SystemsProblem<float>&, Pivoting, Offset,
                                bool);
template void eliminate_systems(DeviceSession&, const SystemsProblem<double>&, Pivoting, Offset,
                                bool);
template void solve_systems(DeviceSession&, const SystemsSolveProblem<float>&, Pivoting, Offset,
                            bool);
template void solve_systems(DeviceSession&, const SystemsSolveProblem<double>&, Pivoting, Offset,
                            bool);

}  // namespace lufact::gpu
