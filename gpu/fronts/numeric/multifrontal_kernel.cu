// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/numeric/multifrontal_kernel.hpp"
#include "gpu/fronts/numeric/ticket_tasks.cuh"

namespace lufact::gpu {
namespace {

// Raises the word of a small front that the warp, or the block, has stored the factors of. By all
// threads, a barrier after the task; told with the next ticket, since to wait for the stores at
// once would hold up the warp. Not inlined, as IdleWords::clear().
__device__ __noinline__ void tell_of_stored(unsigned* stored, const TaskRecord& record) {
  const bool small =
      record.task.kind == TaskKind::warp_front || record.task.kind == TaskKind::block_front;
  if (threadIdx.x % unsigned{warp_size} == 0 && record.task.front >= 0 && small) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(stored[record.task.front])
        .store(1, cuda::memory_order_release);
  }
  __syncwarp();
}

// Tickets come in the order of the task graph, so that all tasks that a task waits for have been
// started before: no deadlock is possible, however few blocks are resident.
template <class T, Pivoting pivoting, ProductWay way>
__global__ void __launch_bounds__(tile_threads, elimination_blocks)
    multifrontal_kernel(const __grid_constant__ FrontProblem<T> problem) {
  extern __shared__ __align__(16) char dynamic[];
  auto& memory = *reinterpret_cast<TaskMemory<T>*>(dynamic);
  __shared__ TaskRecord record[tile_warps];
  __shared__ BlocksAtHand<T> at_hand[tile_warps];
  __shared__ PanelBarriers barriers;
  barriers.init();
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
    tasks.template run<pivoting, way>(problem.plan, problem, rule, ticket);
  }
  problem.idle.clear();
  problem.report.finish();
}

template <class T, ProductWay way>
auto kernel_by(Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows ? multifrontal_kernel<T, Pivoting::fixed_rows, way>
                                          : multifrontal_kernel<T, Pivoting::diagonal_block, way>;
}
template <class T>
auto kernel_with(Pivoting pivoting, ProductWay way) {
  if constexpr (std::is_same_v<T, double>) {
    if (way == ProductWay::ring) return kernel_by<T, ProductWay::ring>(pivoting);
  }
  return kernel_by<T, ProductWay::panels>(pivoting);
}

}  // namespace

template <class T>
Offset resident_blocks(DeviceSession& session, Pivoting pivoting, ProductWay way) {
  const auto kernel = kernel_with<T>(pivoting, way);
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   task_memory_bytes<T>));
  int resident = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, tile_threads,
                                                            task_memory_bytes<T>));
  return Offset{resident} * session.sm_count();
}

template <class T>
void eliminate_fronts(DeviceSession& session, const FrontProblem<T>& problem, Pivoting pivoting,
                      ProductWay way, Offset blocks) {
  launch(session,
         {std::min<Offset>(blocks, problem.plan.tickets), tile_threads,
          static_cast<std::size_t>(task_memory_bytes<T>)},
         kernel_with<T>(pivoting, way), problem);
}

template Offset resident_blocks<float>(DeviceSession&, Pivoting, ProductWay);
template Offset resident_blocks<double>(DeviceSession&, Pivoting, ProductWay);

template void eliminate_fronts(DeviceSession&, const FrontProblem<float>&, Pivoting, ProductWay,
                               Offset);
template void eliminate_fronts(DeviceSession&, const FrontProblem<double>&, Pivoting, ProductWay,
                               Offset);

}  // namespace lufact::gpu
