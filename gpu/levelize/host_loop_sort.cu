// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "gpu/levelize/host_loop_sort.hpp"
#include "gpu/levelize/kahn.cuh"

namespace lufact::gpu {
namespace {

__global__ void start_kernel(KahnRef kahn) {
  append_if_free(kahn);
}

__global__ void level_kernel(KahnRef kahn, Index begin, Index count, Index threads, Index level) {
  release_level(kahn, kahn.queue.columns + begin, count, threads, level);
}

}  // namespace

void sort_by_host_loop(DeviceSession& session, KahnSort& sort) {
  const KahnRef kahn = sort.view();
  const Index n = kahn.graph.pattern.n;
  const Index card_threads = session.max_resident_warps() * warp_size;
  launch(session, {ceil_div(n, kahn_block_threads), kahn_block_threads}, start_kernel, kahn);
  Index begin = 0, end = sort.read_length();
  for (Index level = 1; end < n; ++level) {
    if (begin == end) throw std::logic_error("the dependencies of the columns form a cycle");
    const Index threads = threads_per_column(card_threads, end - begin);
    const Offset all_threads = static_cast<Offset>(end - begin) * threads;
    launch(session, {ceil_div(all_threads, kahn_block_threads), kahn_block_threads}, level_kernel,
           kahn, begin, end - begin, threads, level);
    begin = end;
    end = sort.read_length();
  }
}

}  // namespace lufact::gpu
