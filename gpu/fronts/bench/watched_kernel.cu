// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/fronts/bench/watched_kernel.hpp"
#include "gpu/fronts/numeric/device_front_factors.hpp"
#include "gpu/fronts/numeric/take_tickets.cuh"

namespace lufact::gpu {
namespace {

__device__ BlockTimes all_blocks;

// In shared memory; thread 0 tells the time.
struct BlockState {
  BlockTimes times;
  unsigned long long born, last;
  int kind;
};

__device__ unsigned long long now() {
  return static_cast<unsigned long long>(clock64());
}

class BlockWatch {
 public:
  __device__ explicit BlockWatch(BlockState& state) : state_(&state) {}

  __device__ void begin(TaskKind kind) const {
    if (threadIdx.x != 0) return;
    state_->kind = static_cast<int>(kind);
    ++state_->times.tasks[state_->kind];
  }
  __device__ void done(BlockWork work) const {
    if (threadIdx.x != 0) return;
    const unsigned long long time = now();
    state_->times.cycles[state_->kind][static_cast<int>(work)] += time - state_->last;
    state_->last = time;
  }

 private:
  BlockState* state_;
};

constexpr int words = static_cast<int>(sizeof(BlockTimes) / sizeof(unsigned long long));

template <Pivoting pivoting, ProductWay way>
__global__ void __launch_bounds__(tile_threads, elimination_blocks)
    watched_kernel(const __grid_constant__ FrontProblem<double> problem) {
  __shared__ BlockState state;
  auto* const own = reinterpret_cast<unsigned long long*>(&state.times);
  for (int w = static_cast<int>(threadIdx.x); w < words; w += tile_threads) own[w] = 0;
  if (threadIdx.x == 0) state.born = state.last = now();
  __syncthreads();
  take_tickets<double, pivoting, way>(problem, BlockWatch(state));
  if (threadIdx.x == 0) {
    state.times.blocks = 1;
    state.times.lives = now() - state.born;
  }
  __syncthreads();
  auto* const all = reinterpret_cast<unsigned long long*>(&all_blocks);
  for (int w = static_cast<int>(threadIdx.x); w < words; w += tile_threads) {
    atomicAdd(all + w, own[w]);
  }
}

template <ProductWay way>
auto kernel_by(Pivoting pivoting) {
  return pivoting == Pivoting::fixed_rows ? watched_kernel<Pivoting::fixed_rows, way>
                                          : watched_kernel<Pivoting::diagonal_block, way>;
}

// As eliminate_fronts().
void eliminate_watched(DeviceSession& session, const FrontProblem<double>& problem,
                       Pivoting pivoting, ProductWay way, Offset blocks) {
  const auto kernel = way == ProductWay::ring ? kernel_by<ProductWay::ring>(pivoting)
                                              : kernel_by<ProductWay::panels>(pivoting);
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   task_memory_bytes<double>));
  launch(session,
         {std::min<Offset>(blocks, problem.plan.tickets), tile_threads,
          static_cast<std::size_t>(task_memory_bytes<double>)},
         kernel, problem);
}

}  // namespace

void watch(Factors& factors) {
  dynamic_cast<DeviceFrontFactors<double>&>(factors).launch_by(eliminate_watched);
}

BlockTimes take_block_times(DeviceSession& session) {
  session.synchronize();
  BlockTimes times{};
  const BlockTimes none{};
  LUFACT_CUDA(cudaMemcpyFromSymbol(&times, all_blocks, sizeof times));
  LUFACT_CUDA(cudaMemcpyToSymbol(all_blocks, &none, sizeof none));
  return times;
}

}  // namespace lufact::gpu
