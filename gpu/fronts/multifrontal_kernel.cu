// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/multifrontal_kernel.hpp"
#include "gpu/fronts/small_front.cuh"
#include "gpu/fronts/tile_task.cuh"

namespace lufact::gpu {
namespace {

constexpr int blocks_per_multiprocessor = 3;

template <class T>
union TaskMemory {
  TileMemory<T> tile;
  SmallFrontMemory<T, BlockGroup> block_front;
  SmallFrontMemory<T, WarpGroup> warp_front[tile_warps];
};

// Tickets come in the order of the task graph, so that whatever a task waits for has been started
// before it: no deadlock is possible, however few blocks are resident.
template <class T>
__global__ void __launch_bounds__(tile_threads, blocks_per_multiprocessor)
    multifrontal_kernel(const __grid_constant__ FrontProblem<T> problem) {
  extern __shared__ __align__(16) char dynamic[];
  auto& memory = *reinterpret_cast<TaskMemory<T>*>(dynamic);
  __shared__ TaskRecord record[tile_warps];
  __shared__ Index ticket;
  const int warp = BlockGroup::warp();
#pragma unroll 1
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) ticket = static_cast<Index>(atomicAdd(problem.sync.next_ticket, 1U));
    __syncthreads();
    if (ticket >= problem.plan.tickets) return;
    const Index first = problem.plan.ticket[ticket];
    const Index count = problem.plan.ticket[ticket + 1] - first;
    if (warp < count) record[warp].load(problem.plan, first + warp);
    __syncthreads();
    switch (record[0].task.kind) {
      case TaskKind::warp_front:
        if (warp < count) {
          SmallFront<T, WarpGroup>(problem, record[warp], memory.warp_front[warp]).run();
        }
        break;
      case TaskKind::block_front:
        SmallFront<T, BlockGroup>(problem, record[0], memory.block_front).run();
        break;
      default:
        TileTask<T>(problem, record[0], memory.tile).run();
    }
  }
}

}  // namespace

template <class T>
void eliminate_fronts(DeviceSession& session, const FrontProblem<T>& problem) {
  constexpr int shared_bytes = static_cast<int>(sizeof(TaskMemory<T>));
  LUFACT_CUDA(cudaFuncSetAttribute(multifrontal_kernel<T>,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  int resident = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, multifrontal_kernel<T>,
                                                            tile_threads, shared_bytes));
  const Offset blocks =
      std::min<Offset>(Offset{resident} * session.sm_count(), problem.plan.tickets);
  launch(session, {blocks, tile_threads, shared_bytes}, multifrontal_kernel<T>, problem);
}

template void eliminate_fronts(DeviceSession&, const FrontProblem<float>&);
template void eliminate_fronts(DeviceSession&, const FrontProblem<double>&);

}  // namespace lufact::gpu
