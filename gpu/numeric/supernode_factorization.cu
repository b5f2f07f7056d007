// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/numeric/column_engine.hpp"
#include "gpu/numeric/supernode_factorization.hpp"
#include "gpu/numeric/supernode_task.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int blocks_per_multiprocessor = 2;
constexpr int warps = threads / warp_size;
static_assert(warps >= supernodes_per_task && warps * steps_per_warp >= steps_per_block);

struct SupernodeMemory {
  SupernodeSpace space;
  char* slabs;
  Offset slab_bytes;
  bool own_slabs;  // enough for every large supernode, else one per block
};

template <class T>
struct SupernodeShared {
  SupernodeScratch<T> scratch[warps];
  SourceStep steps[warps * steps_per_warp];
  GroupStorage<threads> block;
  GroupStorage<warp_size> warp[warps];
  unsigned task, slab;
};

// Blocks take tasks in the order of the plan, so that all sources of a supernode have been started
// before it: no deadlock is possible, however few blocks are resident.
template <class T>
__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    supernodes_kernel(const __grid_constant__ SupernodeProblem<T> problem, SupernodeMemory memory) {
  extern __shared__ __align__(16) char dynamic[];
  __shared__ SupernodeShared<T> shared;
  const SupernodesRef& supernodes = problem.supernodes;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) shared.task = atomicAdd(problem.sync.ticket, 1U);
    __syncthreads();
    if (shared.task >= static_cast<unsigned>(supernodes.tasks)) return;
    const Index first = supernodes.task_first[shared.task];
    const Index count = supernodes.task_first[shared.task + 1] - first;
    const Index supernode = supernodes.order[warp < count ? first + warp : first];
    const Offset bytes = supernode_bytes(
        supernodes.positions[supernode],
        supernodes.first[supernode + 1] - supernodes.first[supernode], static_cast<int>(sizeof(T)));
    if (count > 1 || bytes <= memory.space.warp_bytes) {
      if (warp >= count) continue;
      SupernodeTask<warp_size, T>(problem, supernode, shared.scratch[warp],
                                  shared.steps + warp * steps_per_warp, shared.warp[warp],
                                  dynamic + warp * memory.space.warp_bytes)
          .run();
      continue;
    }
    char* work = dynamic;
    if (bytes > memory.space.block_bytes) {
      if (threadIdx.x == 0) {
        shared.slab = memory.own_slabs ? atomicAdd(problem.sync.slabs, 1U) : blockIdx.x;
      }
      __syncthreads();
      work = memory.slabs + shared.slab * memory.slab_bytes;
    }
    SupernodeTask<threads, T>(problem, supernode, shared.scratch[0], shared.steps, shared.block,
                              work)
        .run();
  }
}

// The dynamic shared memory of a block when the multiprocessor holds as many as it should.
template <class T>
SupernodeSpace supernode_space() {
  int device = 0, shared = 0, reserved = 0;
  LUFACT_CUDA(cudaGetDevice(&device));
  LUFACT_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  LUFACT_CUDA(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
  cudaFuncAttributes attributes{};
  LUFACT_CUDA(cudaFuncGetAttributes(&attributes, supernodes_kernel<T>));
  const Offset block = shared / blocks_per_multiprocessor - reserved -
                       static_cast<Offset>(attributes.sharedSizeBytes);
  const Offset warp = block / warps / 128 * 128;
  LUFACT_CUDA(cudaFuncSetAttribute(supernodes_kernel<T>,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(warp * warps)));
  return {warp, warp * warps, static_cast<int>(sizeof(T))};
}

}  // namespace

template <class T>
SupernodeFactorization<T>::SupernodeFactorization(DeviceSession& session,
                                                  const FactorPattern& pattern, Offset nnz_lu,
                                                  const Index* columns)
    : session_(session),
      space_(supernode_space<T>()),
      plan_(make_supernode_plan(session, pattern, columns, space_)) {
  words_ = {session, MemoryRole::resident, plan_.supernodes + Offset{2},
            "states of the supernodes"};
  const std::uint64_t all = persistent_engine_bytes(pattern.n, nnz_lu, precision_of<T>);
  slabs_ = {session, MemoryRole::resident,
            static_cast<Offset>(all - plan_.bytes() - words_.bytes()), "work space of supernodes"};
  blocks_ = std::min<Offset>(session.sm_count() * blocks_per_multiprocessor, plan_.tasks);
  if (plan_.large_supernodes == 0) return;
  slab_count_ = std::min<Offset>(slabs_.size() / plan_.large_bytes, plan_.large_supernodes);
  if (slab_count_ < plan_.large_supernodes) blocks_ = std::min(blocks_, slab_count_);
}

template <class T>
void SupernodeFactorization<T>::run(const FactorsRef<T>& factors, T smallest_pivot,
                                    NumericCounters* counters) {
  words_.fill_bytes(0);
  unsigned* const counts = words_.data() + plan_.supernodes;
  const SupernodeProblem<T> problem{
      factors, plan_.view(), {words_.data(), counts, counts + 1}, {smallest_pivot}, counters};
  const SupernodeMemory memory{space_, reinterpret_cast<char*>(slabs_.data()), plan_.large_bytes,
                               slab_count_ == plan_.large_supernodes};
  launch(session_, {blocks_, threads, static_cast<std::size_t>(space_.block_bytes)},
         supernodes_kernel<T>, problem, memory);
}

template class SupernodeFactorization<float>;
template class SupernodeFactorization<double>;

}  // namespace lufact::gpu
