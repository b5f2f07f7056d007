// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the multifrontal kernel, passed by value.
#pragma once
#include <cuda/atomic>
#include <type_traits>

#include "core/pipeline/front_tasks.hpp"
#include "gpu/numeric/pivots.cuh"

namespace lufact::gpu {

// A task with its front's shape, in one piece.
struct TaskRecord {
  FrontTask task;
  FrontShape shape;

  // Copies a record to shared memory, where waiting does not evict it. By all lanes of one warp.
  __device__ void load(const TaskRecord& from) {
    constexpr int words = static_cast<int>(sizeof(TaskRecord) / sizeof(int));
    static_assert(sizeof(TaskRecord) % sizeof(int) == 0 && words <= warp_size);
    const auto lane = static_cast<int>(threadIdx.x % unsigned{warp_size});
    if (lane < words)
      reinterpret_cast<int*>(this)[lane] = reinterpret_cast<const int*>(&from)[lane];
    __syncwarp();
  }
};

// The arrays of TaskGraph and FrontTree on the device.
struct FrontPlan {
  const FrontShape* shape = nullptr;
  const Index* child = nullptr;
  const TaskRecord* record = nullptr;  // of each task, in their order
  const Index* ticket = nullptr;
  const ChildBlock* block = nullptr;
  const Index* entry_source = nullptr;
  const std::uint16_t* entry_place = nullptr;
  const Index* parent_row = nullptr;
  Index tickets = 0;
};

// Words by which blocks synchronise; all zero before the launch.
struct FrontSync {
  unsigned* next_ticket = nullptr;
  unsigned* flag = nullptr;  // 1 where a stored tile is complete; of a tile on the diagonal, what
                             // is stored
  unsigned* done = nullptr;  // tasks of each front that have written its contribution block
  // Where a solve runs beside the factorization: 1 for each small front whose factors are stored.
  unsigned* stored = nullptr;
};

// The words of the launch before, which the launch after uses again. A launch clears them on the
// way; a memset would make the device wait.
struct IdleWords {
  unsigned* word = nullptr;
  Offset count = 0;

  // By all threads of the grid. Not inlined: the kernel of the factorization has no register to
  // spare and would spill its loop's registers to memory.
  __device__ __noinline__ void clear() const {
    const Offset step = static_cast<Offset>(gridDim.x) * blockDim.x;
    for (Offset w = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x; w < count;
         w += step) {
      word[w] = 0;
    }
  }
};

// Writes the counters to host memory, which saves a copy that waits for the kernel's end.
struct CounterReport {
  NumericCounters* counters = nullptr;
  unsigned* blocks_done = nullptr;  // 0 before a launch and after it
  NumericCounters* to = nullptr;    // on the host, valid once the launch is over
  unsigned* complete = nullptr;     // unless null: 1 once all blocks are done

  // By all threads of every block, after their last count. Not inlined, as IdleWords::clear().
  __device__ __noinline__ void finish() const {
    __syncthreads();
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(*blocks_done);
    if (done.fetch_add(1, cuda::memory_order_acq_rel) + 1 != gridDim.x) return;
    *to = *counters;
    done.store(0, cuda::memory_order_relaxed);
    if (complete == nullptr) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*complete).store(
        1, cuda::memory_order_release);
  }
};

// The threshold of pivots as a share of a norm that a kernel before has left on the device.
struct ShareOfNorm {
  const double* norm = nullptr;  // null: the host knows the threshold
  double share = 0;
};

template <class T>
struct FrontProblem {
  FrontPlan plan;
  FrontSync sync;
  const double* values = nullptr;       // of B
  const double* entry_scale = nullptr;  // by entry of the plan: row scale times column scale
  T* factors = nullptr;
  T* contributions = nullptr;
  PivotRule<T> rule;
  ShareOfNorm threshold;  // in place of that of `rule`, unless null
  NumericCounters* counters = nullptr;
  CounterReport report;
  unsigned char* row_source = nullptr;  // where rows are exchanged: FrontFactors::row_sources
  IdleWords idle;                       // of the factorization before and after

  // Rounded as by the host.
  __device__ PivotRule<T> pivot_rule() const {
    if (threshold.norm == nullptr) return rule;
    return {static_cast<T>(__dmul_rn(threshold.share, *threshold.norm))};
  }
};

// What tiles are assembled from: entries of B and contribution blocks of children ...
struct AssembledTiles {};
// ... or, where one front is the whole of a dense matrix by columns, that matrix, in which its
// factors are left; of tiles on the diagonal that have inverses the entries before their
// elimination.
template <class T>
struct DenseTiles {
  T* entry = nullptr;
  Offset ld = 1;
};

// As the functions of FrontShape.
__device__ inline Index lower_tile(const FrontShape& shape, Index i, Index k) {
  return 2 * k * shape.tiles - k * (k - 1) + i - k;
}
__device__ inline Index upper_tile(const FrontShape& shape, Index k, Index i) {
  return lower_tile(shape, i, k) + shape.tiles - k;
}
__device__ inline Index stored_units(Index rows) {
  return (rows + stored_unit - 1) / stored_unit * stored_unit;
}
__device__ inline Index stored_rows(const FrontShape& shape, Index i) {
  return i < shape.pivot_tiles
             ? min(shape.pivot_width, stored_units(shape.pivots) - i * shape.pivot_width)
             : min(shape.row_width,
                   stored_units(shape.rows) - (i - shape.pivot_tiles) * shape.row_width);
}
__device__ inline Index stored_pivots(const FrontShape& shape, Index k) {
  return min(shape.pivot_width, shape.pivots - k * shape.pivot_width);
}
__device__ inline Index all_stored_rows(const FrontShape& shape) {
  return stored_units(shape.pivots) + stored_units(shape.rows);
}

// A stored tile: `rows` x `pivots` entries by columns of L or rows of U, which is its leading
// dimension; T may be const.
template <class T>
struct StoredTile {
  T* entry;
  Index rows, pivots;

  // Most tiles are: then nothing has to be left out, and every place is a constant away.
  __device__ bool is_whole() const { return rows == tile_order && pivots == tile_order; }
};
// Tile (i, k) of L and tile (k, i) of U, as FrontShape::lower_place and upper_place.
template <class T>
__device__ StoredTile<T> lower_stored(T* factors, const FrontShape& shape, Index i, Index k) {
  const Index before = i < shape.pivot_tiles
                           ? i * shape.pivot_width
                           : stored_units(shape.pivots) + (i - shape.pivot_tiles) * shape.row_width;
  const Index pivots = stored_pivots(shape, k), first = k * shape.pivot_width;
  const Offset columns_before =
      static_cast<Offset>(first) *
      (2 * static_cast<Offset>(all_stored_rows(shape)) - (first - shape.pivot_width));
  return {factors + shape.factors + columns_before + static_cast<Offset>(before - first) * pivots,
          stored_rows(shape, i), pivots};
}
template <class T>
__device__ StoredTile<T> upper_stored(T* factors, const FrontShape& shape, Index k, Index i) {
  StoredTile<T> stored = lower_stored(factors, shape, i, k);
  stored.entry +=
      static_cast<Offset>(all_stored_rows(shape) - k * shape.pivot_width) * stored.pivots;
  return stored;
}

// Of tile k on the diagonal and of the tiles left of it and above it.
enum class ChainTile { lower, upper, diagonal };
inline constexpr int chain_tiles = 3;

// A dense matrix whose tiles on the diagonal are eliminated by one block, one after the other
// (gpu/dense/ours/diagonal_chain.cuh). Other blocks leave for it tiles k, from 1 on: those beside
// the diagonal before they are divided, that on it without the product of the last step. All are
// whole, of L and on the diagonal by columns, of U by rows, with zeros where the matrix ends. The
// chain puts in the place of the one on the diagonal what it has before elimination.
template <class T>
struct ChainedTiles : DenseTiles<T> {
  T* left_for_chain = nullptr;  // chain_tiles tiles for each k

  __device__ StoredTile<T> of_chain(Index k, ChainTile which) const {
    const Offset number = static_cast<Offset>(chain_tiles) * (k - 1) + static_cast<int>(which);
    return {left_for_chain + number * tile_order * tile_order, tile_order, tile_order};
  }
};
template <class T, class Tiles>
inline constexpr bool has_chain = std::is_same_v<Tiles, ChainedTiles<T>>;

// How many of the chain's tiles k there are: the flag of U's tile on the diagonal, which is stored
// with L's.
__device__ inline unsigned* chain_word(const FrontSync& sync, const FrontShape& shape, Index k) {
  return sync.flag + shape.flags + upper_tile(shape, k, k);
}

__device__ inline Index padded_pivots(const FrontShape& shape) {
  return (shape.pivots + pivot_block - 1) / pivot_block * pivot_block;
}

}  // namespace lufact::gpu
