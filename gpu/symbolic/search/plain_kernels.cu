// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/side_launch.cuh"
#include "gpu/symbolic/search/plain_kernels.hpp"
#include "gpu/symbolic/search/plain_search.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 128;

// The slot that this thread works on; later rows take longer, so they start first. Negative: none.
__device__ Index own_slot(const SearchTask& task) {
  const Offset thread = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  return static_cast<Index>(task.rows - 1 - thread);
}

__device__ PlainSearch search_of(const SearchTask& task, Index slot, Index row) {
  const Offset k = slot;
  return {task.matrix, row, task.tags + k * task.stride, task.queues + k * task.queue_capacity};
}

__device__ void add_to_tally(const SearchTask& task, Index row, Index max_frontier) {
  atomicMax(&task.tallies[(row - task.tally_origin) / task.rows_per_tally].max_frontier,
            max_frontier);
}

__global__ void __launch_bounds__(block_threads) count_rows(SearchTask task, Offset* counts) {
  const Index slot = own_slot(task);
  if (slot < 0) return;
  const Index row = task.first_row + slot;
  PlainSearch search = search_of(task, slot, row);
  search.run([](Index, Index) {});
  counts[row] = search.filled();
  add_to_tally(task, row, search.max_frontier());
}

__global__ void __launch_bounds__(block_threads) place_rows(SearchTask task, PatternTarget target) {
  const Index slot = own_slot(task);
  if (slot < 0) return;
  const Index row = task.first_row + slot;
  PlainSearch search = search_of(task, slot, row);
  const Offset begin = target.row_ptr[row];
  search.run([&](Index k, Index column) { target.col_idx[begin + k] = column; });
  target.diagonal[row] = begin + search.lower();
  search.emit_upper(target.col_idx + begin + search.lower());
  add_to_tally(task, row, search.max_frontier());
}

void clear_tags(cudaStream_t stream, const SearchTask& task) {
  if (!task.clear_tags) return;
  const Offset words = Offset{task.rows} * task.stride;
  LUFACT_CUDA(cudaMemsetAsync(task.tags, 0xff, checked_bytes(words, sizeof(Index)), stream));
}

}  // namespace

void launch_plain_count(cudaStream_t stream, const SearchTask& task, Offset* counts) {
  clear_tags(stream, task);
  launch_on(stream, {ceil_div(task.rows, block_threads), block_threads}, count_rows, task, counts);
}

void launch_plain_place(cudaStream_t stream, const SearchTask& task, const PatternTarget& target) {
  clear_tags(stream, task);
  launch_on(stream, {ceil_div(task.rows, block_threads), block_threads}, place_rows, task, target);
}

}  // namespace lufact::gpu
