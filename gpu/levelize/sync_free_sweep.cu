// SPDX-License-Identifier: BSD-3-Clause
// A warp takes 32 consecutive columns, the first of them from a ticket, so that every column that
// it may wait for belongs to a warp that runs already. The level itself is the flag: -1 until it is
// known. So a relaxed store publishes it and a relaxed load is enough to wait for it.
//
// Elimination orders put the columns of a supernode, and so most of a long path of dependencies,
// one behind the other: those edges stay inside a warp and cost it a step in shared memory, not a
// round trip to global memory.
#include <algorithm>
#include <cuda/atomic>

#include "gpu/levelize/sync_free_sweep.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int block_threads = 256;
constexpr int block_warps = block_threads / warp_size;
constexpr int blocks_per_multiprocessor = 4;
constexpr int edges_in_flight = 4;  // of each lane
constexpr unsigned full_warp = 0xffffffffU;
constexpr Index not_yet = -1;

using Level = cuda::atomic_ref<Index, cuda::thread_scope_device>;

// The columns of one warp, in shared memory.
struct WarpColumns {
  Offset begin[warp_size + 1];  // of the edges into each column
  Index level[warp_size];       // the largest level so far, then the final one
  Index open_edges[warp_size];
  unsigned inner[warp_size];  // columns of this warp that come before the column, as bits
};

// A dependency that a lane waits for; `before` is not_yet where the slot is free.
struct Edge {
  Index before = not_yet;
  int target = 0;  // column of the warp that waits
};

// The column of the warp that edge e leads to.
__device__ int find_target(const WarpColumns& columns, Offset e) {
  int low = 0, high = warp_size;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (columns.begin[middle] <= e ? low : high) = middle;
  }
  return low;
}

__device__ void start_columns(const PrunedRef& graph, WarpColumns& columns, Index first, int lane) {
  const Index column = first + lane < graph.n ? first + lane : graph.n;
  const Index after = column < graph.n ? column + 1 : graph.n;
  const Offset begin = graph.begin[column];
  const Offset end = graph.begin[after];
  columns.begin[lane] = begin;
  if (lane == warp_size - 1) columns.begin[warp_size] = end;
  columns.level[lane] = 0;
  columns.open_edges[lane] = static_cast<Index>(end - begin);
  columns.inner[lane] = 0;
  __syncwarp();
}

// Fills the free slots of this lane with the edges next, next + 32, ...; edges from columns of the
// same warp are noted in `inner` and take no slot.
__device__ void take_edges(const PrunedRef& graph, WarpColumns& columns, Index first, Offset& next,
                           Edge (&slots)[edges_in_flight]) {
  const Offset end = columns.begin[warp_size];
#pragma unroll
  for (Edge& slot : slots) {
    if (slot.before != not_yet || next >= end) continue;
    const Index before = graph.before[next];
    const int target = find_target(columns, next);
    next += warp_size;
    if (before < first) {
      slot = {before, target};
    } else {
      atomicOr(&columns.inner[target], 1U << (before - first));
      atomicSub(&columns.open_edges[target], 1);
    }
  }
}

// One look at the levels that this lane waits for.
__device__ void poll_edges(WarpColumns& columns, Index* level_of, Edge (&slots)[edges_in_flight]) {
  Index seen[edges_in_flight];
#pragma unroll
  for (int k = 0; k < edges_in_flight; ++k) {
    seen[k] = slots[k].before == not_yet
                  ? not_yet
                  : Level(level_of[slots[k].before]).load(cuda::memory_order_relaxed);
  }
#pragma unroll
  for (int k = 0; k < edges_in_flight; ++k) {
    if (seen[k] == not_yet) continue;
    atomicMax(&columns.level[slots[k].target], seen[k] + 1);
    atomicSub(&columns.open_edges[slots[k].target], 1);
    slots[k].before = not_yet;
  }
}

// Registers of a column's lane once all edges from other warps are met.
struct OwnColumn {
  bool met = false;
  Index level = 0;
  unsigned inner = 0;
};

// Loads what was collected in shared memory, and the levels of inner columns that are finished
// already.
__device__ void take_over(const WarpColumns& columns, OwnColumn& own, unsigned finished, int lane) {
  if (own.met || columns.open_edges[lane] != 0) return;
  own.met = true;
  own.level = columns.level[lane];
  own.inner = columns.inner[lane];
  for (unsigned rest = own.inner & finished; rest != 0; rest &= rest - 1) {
    const Index after = columns.level[__ffs(static_cast<int>(rest)) - 1] + 1;
    own.level = after > own.level ? after : own.level;
  }
}

// Finishes all columns that can be finished: lane c has column first + c. Returns them as bits.
__device__ unsigned finish_columns(WarpColumns& columns, OwnColumn& own, Index* own_level,
                                   unsigned finished, int lane) {
  take_over(columns, own, finished, lane);
  for (;;) {
    const bool open = (finished >> lane & 1U) == 0;
    const bool ready = open && own.met && (own.inner & ~finished) == 0;
    const unsigned now = __ballot_sync(full_warp, ready);
    if (now == 0) break;
    if (ready) {
      Level(*own_level).store(own.level, cuda::memory_order_relaxed);
      columns.level[lane] = own.level;
    }
    finished |= now;
    for (unsigned rest = now; rest != 0; rest &= rest - 1) {
      const int other = __ffs(static_cast<int>(rest)) - 1;
      const Index after = __shfl_sync(full_warp, own.level, other) + 1;
      if ((own.inner >> other & 1U) != 0 && after > own.level) own.level = after;
    }
  }
  __syncwarp();
  return finished;
}

__device__ void level_columns(const PrunedRef& graph, WarpColumns& columns, Index* level_of,
                              Index first, int lane) {
  start_columns(graph, columns, first, lane);
  const unsigned beyond_last = graph.n - first < warp_size ? full_warp << (graph.n - first) : 0;
  unsigned finished = beyond_last;
  Offset next = columns.begin[0] + lane;
  Edge slots[edges_in_flight];
  OwnColumn own;
  while (finished != full_warp) {
    take_edges(graph, columns, first, next, slots);
    poll_edges(columns, level_of, slots);
    __syncwarp();
    finished = finish_columns(columns, own, level_of + first + lane, finished, lane);
  }
}

__global__ void __launch_bounds__(block_threads)
    sweep_kernel(PrunedRef graph, unsigned* ticket, Index* level_of) {
  __shared__ WarpColumns columns[block_warps];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  for (;;) {
    unsigned turn = 0;
    if (lane == 0) turn = atomicAdd(ticket, 1U);
    turn = __shfl_sync(full_warp, turn, 0);
    const Offset first = static_cast<Offset>(turn) * warp_size;
    if (first >= graph.n) return;
    level_columns(graph, columns[threadIdx.x / warp_size], level_of, static_cast<Index>(first),
                  lane);
    __syncwarp();
  }
}

}  // namespace

void sweep_levels(DeviceSession& session, const PrunedGraph& graph, Buffer<Index>& level_of) {
  const PrunedRef view = graph.view();
  Buffer<unsigned> ticket(session, MemoryRole::scratch, 1, "the ticket of the columns");
  ticket.fill_bytes(0);
  level_of.fill_bytes(0xff);
  static_assert(not_yet == -1);
  const Offset needed = ceil_div(view.n, block_threads);
  const Offset most = blocks_per_multiprocessor * session.sm_count();
  launch(session, {std::min(needed, most), block_threads}, sweep_kernel, view, ticket.data(),
         level_of.data());
  session.synchronize();
}

}  // namespace lufact::gpu
