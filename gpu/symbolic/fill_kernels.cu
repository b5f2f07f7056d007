// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <stdexcept>

#include "gpu/runtime/launch.cuh"
#include "gpu/symbolic/fill_kernels.hpp"
#include "gpu/symbolic/fill_search.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 128;
template <int kThreads>
constexpr int groups_per_block = block_threads / kThreads;

// The slot that this group works on, or -1. Later rows take longer, so they start first.
template <int kThreads>
__device__ Index own_slot(const SearchTask& task) {
  const Offset turn = static_cast<Offset>(blockIdx.x) * groups_per_block<kThreads> +
                      static_cast<int>(threadIdx.x) / kThreads;
  return turn < task.rows ? static_cast<Index>(task.rows - 1 - turn) : -1;
}

__device__ Index row_of(const SearchTask& task, Index slot) {
  return task.row_list != nullptr ? task.row_list[slot] : task.first_row + slot;
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

template <int kThreads>
__global__ void __launch_bounds__(block_threads) count_rows(SearchTask task, Offset* counts) {
  __shared__ FillSearchStorage<kThreads> storage[groups_per_block<kThreads>];
  const Index slot = own_slot<kThreads>(task);
  if (slot < 0) return;
  const Index row = row_of(task, slot);
  FillSearch<kThreads> search(task.matrix, row, scratch_of(task, slot),
                              storage[threadIdx.x / kThreads]);
  if (task.clear_tags) search.clear_tags();
  const bool complete = search.run([](Index, Index) {});
  if (!search.is_leader()) return;
  counts[row] = complete ? search.filled() : -1;
  add_to_tally(task, slot, row, complete, search.max_frontier());
}

template <int kThreads>
__global__ void __launch_bounds__(block_threads) place_rows(SearchTask task, PatternTarget target) {
  __shared__ FillSearchStorage<kThreads> storage[groups_per_block<kThreads>];
  const Index slot = own_slot<kThreads>(task);
  if (slot < 0) return;
  const Index row = row_of(task, slot);
  FillSearch<kThreads> search(task.matrix, row, scratch_of(task, slot),
                              storage[threadIdx.x / kThreads]);
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

LaunchShape shape_of(GroupSize size, Index rows) {
  const int groups = size == GroupSize::warp ? groups_per_block<warp_size> : 1;
  return {ceil_div(rows, groups), block_threads};
}

}  // namespace

void launch_count(DeviceSession& session, GroupSize size, const SearchTask& task, Offset* counts) {
  launch(session, shape_of(size, task.rows),
         size == GroupSize::warp ? count_rows<warp_size> : count_rows<block_threads>, task, counts);
}

void launch_place(DeviceSession& session, GroupSize size, const SearchTask& task,
                  const PatternTarget& target) {
  launch(session, shape_of(size, task.rows),
         size == GroupSize::warp ? place_rows<warp_size> : place_rows<block_threads>, task, target);
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
