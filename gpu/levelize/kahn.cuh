// SPDX-License-Identifier: BSD-3-Clause
// Kahn's topological sort on the device: parts shared by the engines, which differ in how each
// level is started.
#pragma once
#include "gpu/levelize/kahn.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

inline constexpr int kahn_block_threads = 256;
inline constexpr Index most_threads_per_column = 8192;

// A narrow level spreads each of its columns over more threads, so that the card is not idle:
// `card_threads` over the width, as a power of two of at least a warp.
__host__ __device__ inline Index threads_per_column(Index card_threads, Index width) {
  Index threads = warp_size;
  while (threads < most_threads_per_column && 2 * threads <= card_threads / width) threads *= 2;
  return threads;
}

__device__ inline void append(const QueueRef& queue, Index column, Index level) {
  queue.level_of[column] = level;
  queue.columns[atomicAdd(queue.length, 1)] = column;
}

__device__ inline void meet(const KahnRef& kahn, Index column, Index level) {
  if (atomicSub(&kahn.unmet[column], 1) == 1) append(kahn.queue, column, level);
}

// Removes the edges out of `column`, as thread `rank` of `threads`. Columns that no edge enters any
// more get level `level`.
__device__ inline void release_successors(const KahnRef& kahn, Index column, Index rank,
                                          Index threads, Index level) {
  const GraphRef& graph = kahn.graph;
  if (graph.lower_begin[column] == graph.lower_begin[column + 1]) return;
  const Offset row_end = graph.pattern.row_ptr[column + 1];
  for (Offset p = graph.diagonal[column] + 1 + rank; p < row_end; p += threads) {
    meet(kahn, graph.pattern.col_idx[p], level);
  }
  for (Offset p = graph.lower_begin[column] + rank; p < graph.lower_end[column]; p += threads) {
    meet(kahn, graph.lower_rows[p], level);
  }
}

// Thread k of the grid queues column k if no column comes before it.
__device__ inline void append_if_free(const KahnRef& kahn) {
  const Offset column = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column < kahn.graph.pattern.n && kahn.unmet[column] == 0) {
    append(kahn.queue, static_cast<Index>(column), 0);
  }
}

// Processes a level of `count` columns by all threads of the grid, `threads` for each column.
__device__ inline void release_level(const KahnRef& kahn, const Index* columns, Index count,
                                     Index threads, Index level) {
  const Offset thread = static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Offset step = static_cast<Offset>(gridDim.x) * blockDim.x / threads;
  for (Offset turn = thread / threads; turn < count; turn += step) {
    release_successors(kahn, columns[turn], static_cast<Index>(thread % threads), threads, level);
  }
}

}  // namespace lufact::gpu
