// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <stdexcept>

#include "gpu/runtime/side_launch.cuh"
#include "gpu/symbolic/search/fill_kernels.hpp"
#include "gpu/symbolic/search/fill_search.cuh"

namespace lufact::gpu {
namespace {

// A row is searched by a block: the scan for the next threshold, over n tags, takes longer than the
// frontiers, and a warp took two to four times as long for it.
constexpr int block_threads = search_warps * warp_size;

// The slot that this block works on. Later rows take longer, so they start first.
__device__ Index own_slot(const SearchTask& task) {
  return task.rows - 1 - static_cast<Index>(blockIdx.x);
}

__device__ Index row_of(const SearchTask& task, Index slot) {
  return task.row_list != nullptr ? task.row_list[slot] : task.first_row + slot;
}

// Ascends from the row that a slot had before to the one that it has now.
__device__ Index key_of(const SearchTask& task, Index row) {
  return task.descending ? task.matrix.n - 1 - row : row;
}

__device__ RowScratch scratch_of(const SearchTask& task, Index slot) {
  const Offset k = slot;
  return {task.tags + k * task.stride, task.queues + k * task.queue_capacity, task.queue_capacity};
}

__device__ void add_to_tally(const SearchTask& task, Index slot, Index row, bool complete,
                             Index max_frontier) {
  const Index at =
      task.rows_per_tally == 0 ? slot : (row - task.tally_origin) / task.rows_per_tally;
  if (complete) {
    atomicMax(&task.tallies[at].max_frontier, max_frontier);
  } else {
    atomicAdd(&task.tallies[at].overflowed, 1);
  }
}

__global__ void __launch_bounds__(block_threads) count_rows(SearchTask task, Offset* counts) {
  __shared__ FillSearchStorage<block_threads> storage;
  const Index slot = own_slot(task);
  const Index row = row_of(task, slot);
  FillSearch<block_threads> search(task.matrix, row, key_of(task, row), scratch_of(task, slot),
                                   storage);
  if (task.clear_tags) search.clear_tags();
  const bool complete = search.run([](Index, Index) {});
  if (!search.is_leader()) return;
  counts[row] = complete ? search.filled() : -1;
  add_to_tally(task, slot, row, complete, search.max_frontier());
}

__global__ void __launch_bounds__(block_threads) place_rows(SearchTask task, PatternTarget target) {
  __shared__ FillSearchStorage<block_threads> storage;
  const Index slot = own_slot(task);
  const Index row = row_of(task, slot);
  FillSearch<block_threads> search(task.matrix, row, key_of(task, row), scratch_of(task, slot),
                                   storage);
  if (task.clear_tags) search.clear_tags();
  const Offset begin = target.row_ptr[row];
  const bool leader = search.is_leader();
  const bool complete = search.run([&](Index k, Index column) {
    if (leader) target.col_idx[begin + k] = column;
  });
  if (leader) {
    target.diagonal[row] = begin + search.lower();
    add_to_tally(task, slot, row, complete, search.max_frontier());
  }
  if (!complete) return;
  const Offset upper = target.row_ptr[row + 1] - begin - search.lower();
  search.emit_upper(static_cast<Index>(upper), target.col_idx + begin + search.lower());
}

__global__ void collect_overflowed(const Offset* counts, Index first_row, Index rows, Index* list,
                                   Index* count) {
  const Offset k = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= rows) return;
  const Index row = first_row + static_cast<Index>(k);
  if (counts[row] < 0) list[atomicAdd(count, 1)] = row;
}

struct ListedRows {
  Index rows[most_listed_rows];
};
__global__ void write_rows(ListedRows listed, Index count, Index* list) {
  const Index k = static_cast<Index>(threadIdx.x);
  if (k < count) list[k] = listed.rows[k];
}

}  // namespace

void launch_count(cudaStream_t stream, const SearchTask& task, Offset* counts) {
  launch_on(stream, {task.rows, block_threads}, count_rows, task, counts);
}

void launch_place(cudaStream_t stream, const SearchTask& task, const PatternTarget& target) {
  launch_on(stream, {task.rows, block_threads}, place_rows, task, target);
}

void launch_collect_overflowed(DeviceSession& session, const Offset* counts, Index first_row,
                               Index rows, Index* list, Index* count) {
  launch(session, {ceil_div(rows, block_threads), block_threads}, collect_overflowed, counts,
         first_row, rows, list, count);
}

void launch_write_rows(DeviceSession& session, std::span<const Index> rows, Index* list) {
  if (rows.size() > most_listed_rows) throw std::logic_error("too many rows for one launch");
  ListedRows listed{};
  std::copy(rows.begin(), rows.end(), listed.rows);
  launch(session, {rows.empty() ? 0 : 1, static_cast<int>(most_listed_rows)}, write_rows, listed,
         static_cast<Index>(rows.size()), list);
}

}  // namespace lufact::gpu
