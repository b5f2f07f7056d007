// SPDX-License-Identifier: BSD-3-Clause
#include <cooperative_groups.h>

#include <algorithm>

#include "gpu/levelize/cooperative_sort.hpp"
#include "gpu/levelize/kahn.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 1024;
// More blocks would wait longer for each other than they would help wide levels.
constexpr int multiprocessors_per_block = 2;
constexpr int counters = 3;

__global__ void start_kernel(KahnRef kahn) {
  append_if_free(kahn);
}

// found[k] counts the columns that a level adds to the queue. It is read after the barrier behind
// that level, when the next level counts into the following one already; the third is cleared
// meanwhile. So one barrier per level is enough.
__global__ void __launch_bounds__(block_threads) sort_kernel(KahnRef kahn, Index* found) {
  const auto grid = cooperative_groups::this_grid();
  const auto grid_threads = static_cast<Index>(gridDim.x * blockDim.x);
  Index* const queue = kahn.queue.columns;
  Index begin = 0, end = *kahn.queue.length;
  for (Index level = 1; begin < end; ++level) {
    Index* const count = &found[level % counters];
    kahn.queue.columns = queue + end;
    kahn.queue.length = count;
    if (grid.thread_rank() == 0) found[(level + 1) % counters] = 0;
    const Index threads = threads_per_column(grid_threads, end - begin);
    release_level(kahn, queue + begin, end - begin, threads, level);
    grid.sync();
    begin = end;
    end += *count;
  }
}

int find_grid(DeviceSession& session) {
  int per_multiprocessor = 0;
  LUFACT_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, sort_kernel,
                                                            block_threads, 0));
  const int suited = std::max(session.sm_count() / multiprocessors_per_block, 1);
  return std::min<int>(suited, per_multiprocessor * session.sm_count());
}

}  // namespace

void sort_in_one_kernel(DeviceSession& session, KahnSort& sort) {
  const KahnRef kahn = sort.view();
  launch(session, {ceil_div(kahn.graph.pattern.n, kahn_block_threads), kahn_block_threads},
         start_kernel, kahn);
  Buffer<Index> found(session, MemoryRole::scratch, counters, "the sizes of levels");
  found.fill_bytes(0);
  launch_cooperative(session, {find_grid(session), block_threads}, sort_kernel, kahn, found.data());
  session.synchronize();
}

}  // namespace lufact::gpu
