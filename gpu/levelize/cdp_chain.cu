// SPDX-License-Identifier: BSD-3-Clause
// E2E Algorithm 5. There one thread launches the kernels of a level and waits for them. A kernel
// can no longer wait for its children (CUDA 12, compute capability 9.0), but it can launch a kernel
// that starts when it has ended itself. So the loop of the algorithm became a chain: the block of a
// level that ends last takes the loop's next turn. The update of a level queues the columns that it
// frees, as `cons_queue` does there by a search for them.
#include <cuda/atomic>

#include "gpu/levelize/cdp_chain.hpp"
#include "gpu/levelize/kahn.cuh"

namespace lufact::gpu {
namespace {

__global__ void start_kernel(KahnRef kahn) {
  append_if_free(kahn);
}

struct ChainRef {
  KahnRef kahn;
  ChainState* state = nullptr;
  Index card_threads = 0;
};

__global__ void update_kernel(ChainRef chain, Index begin, Index count, Index threads, Index level);

// A turn of the loop, by one thread: columns from `begin` on in the queue are free; columns that
// the update frees get level `level`.
__device__ void launch_update(const ChainRef& chain, Index begin, Index level) {
  const Index end = cuda::atomic_ref<Index, cuda::thread_scope_device>(*chain.kahn.queue.length)
                        .load(cuda::memory_order_relaxed);
  if (begin == end) return;
  const Index threads = threads_per_column(chain.card_threads, end - begin);
  const Offset all_threads = static_cast<Offset>(end - begin) * threads;
  update_kernel<<<static_cast<unsigned>(ceil_div(all_threads, kahn_block_threads)),
                  kahn_block_threads, 0, cudaStreamTailLaunch>>>(chain, begin, end - begin, threads,
                                                                 level);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) chain.state->error = static_cast<Index>(error);
}

// Whether all other blocks of the grid have called this before; by one thread of each block, after
// the block's other threads. The writes of the other blocks are then visible.
__device__ bool is_last_block(unsigned* blocks_done) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(*blocks_done);
  if (done.fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return false;
  done.store(0, cuda::memory_order_relaxed);
  return true;
}

__global__ void update_kernel(ChainRef chain, Index begin, Index count, Index threads,
                              Index level) {
  release_level(chain.kahn, chain.kahn.queue.columns + begin, count, threads, level);
  __syncthreads();
  if (threadIdx.x == 0 && is_last_block(&chain.state->blocks_done)) {
    launch_update(chain, begin + count, level + 1);
  }
}

__global__ void topo_kernel(ChainRef chain) {
  launch_update(chain, 0, 1);
}

}  // namespace

void launch_topo_chain(DeviceSession& session, const KahnRef& kahn, ChainState* state) {
  launch(session, {ceil_div(kahn.graph.pattern.n, kahn_block_threads), kahn_block_threads},
         start_kernel, kahn);
  const ChainRef chain{kahn, state, session.max_resident_warps() * warp_size};
  launch(session, {1, 1}, topo_kernel, chain);
}

}  // namespace lufact::gpu
