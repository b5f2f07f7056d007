// SPDX-License-Identifier: BSD-3-Clause
// The assembly of a tile in shared memory: entries of B, and rectangles of the contribution blocks
// of children, added in a fixed order.
#pragma once
#include "gpu/fronts/front_problem.cuh"
#include "gpu/fronts/publish.cuh"
#include "gpu/fronts/tile_layout.cuh"

namespace lufact::gpu {

// Entry (i, j) is at entry[i * row_step + j * column_step].
template <class T>
struct SharedTile {
  T* entry;
  int row_step, column_step;

  __device__ T& at(int i, int j) const { return entry[i * row_step + j * column_step]; }
};

// From a row of the front to a row of a tile: rows up to `pivots` lose `first`, others gain or lose
// `beyond`.
struct RowShift {
  Index pivots, first, beyond;

  // For tile number `number` of a front.
  __device__ RowShift(const FrontShape& shape, Index number) {
    if (shape.tiles == 0) {
      pivots = shape.pivots;
      first = 0;
      beyond = padded_pivots(shape) - shape.pivots;
    } else if (number < shape.pivot_tiles) {
      pivots = shape.pivots;
      first = number * shape.pivot_width;
      beyond = -first;
    } else {
      pivots = 0;
      first = 0;
      beyond = -shape.pivots - (number - shape.pivot_tiles) * shape.row_width;
    }
  }
  __device__ Index inside(Index row) const { return row < pivots ? row - first : row + beyond; }
};

// Rectangles of children whose descriptions a group holds at a time.
inline constexpr int blocks_at_hand = 12;

struct BlocksAtHand {
  ChildBlock block[blocks_at_hand];
};

template <class T, class Group>
class Assembly {
 public:
  __device__ Assembly(const FrontProblem<T>& problem, const FrontTask& task,
                      const FrontShape& shape, const SharedTile<T>& tile_entries,
                      BlocksAtHand& at_hand)
      : problem_(problem),
        task_(task),
        tile_(tile_entries),
        rows_(shape, task.tile_row),
        columns_(shape, task.tile_column),
        block_(at_hand.block) {}

  // All threads see the tile complete.
  __device__ void run() {
    Index first = task_.block_begin;
    fetch_blocks(first);
    clear();
    Group::sync();
    add_entries();
    while (first < task_.block_end) {
      const int count = min(task_.block_end - first, blocks_at_hand);
      wait_for_words<Group>(
          count, [&](int k) { return problem_.sync.done + block_[k].child; },
          [&](int k) { return static_cast<unsigned>(block_[k].done); });
      add_blocks(count);
      first += count;
      if (first < task_.block_end) {
        Group::sync();
        fetch_blocks(first);
      }
      Group::sync();
    }
    if (task_.block_begin == task_.block_end) Group::sync();
  }

 private:
  static constexpr int warps = Group::threads / warp_size;
  static constexpr int rows_per_lane = Group::order / warp_size;
  static constexpr int columns_ahead = 8 / rows_per_lane;

  // What a warp adds at a time: columns_ahead columns of a rectangle, a lane a row or two.
  struct Batch {
    T value[columns_ahead][rows_per_lane];
    Index to_column[columns_ahead];  // -1: no such column
    Index to_row[rows_per_lane];     // -1: no such row
  };
  // Which batch: all warps of a group go through the same ones.
  struct Place {
    int block;
    Index column;
  };

  __device__ void fetch_blocks(Index first) {
    constexpr int words_per_block = static_cast<int>(sizeof(ChildBlock) / sizeof(int));
    static_assert(sizeof(ChildBlock) % sizeof(int) == 0);
    const int words = min(task_.block_end - first, blocks_at_hand) * words_per_block;
    const int* const from = reinterpret_cast<const int*>(problem_.plan.block + first);
    for (int w = Group::rank(); w < words; w += Group::threads) {
      reinterpret_cast<int*>(block_)[w] = from[w];
    }
  }

  __device__ void clear() {
    constexpr int words = Group::order * Group::leading * static_cast<int>(sizeof(T)) / 16;
    static_assert(Group::order * Group::leading * sizeof(T) % 16 == 0);
    int4* const to = reinterpret_cast<int4*>(tile_.entry);
#pragma unroll 4
    for (int w = Group::rank(); w < words; w += Group::threads) to[w] = make_int4(0, 0, 0, 0);
  }

  __device__ void add_entries() {
#pragma unroll 4
    for (Index e = task_.entry_begin + Group::rank(); e < task_.entry_end; e += Group::threads) {
      const int place = problem_.plan.entry_place[e];
      const double value = problem_.values[problem_.plan.entry_source[e]];
      tile_.at(place % 256, place / 256) = static_cast<T>(value * problem_.entry_scale[e]);
    }
  }

  // One batch is on its way while the one before it is added.
  __device__ __noinline__ void add_blocks(int count) {
    Batch even, odd;
    Place place{0, block_[0].column_begin};
    load(place, even);
#pragma unroll 1
    for (;;) {
      if (!add_and_advance(place, count, even, odd)) return;
      if (!add_and_advance(place, count, odd, even)) return;
    }
  }

  // Adds `current`, the batch at `place`, and moves on to the next; false after the last.
  __device__ __forceinline__ bool add_and_advance(Place& place, int count, const Batch& current,
                                                  Batch& following) {
    Place next{place.block, place.column + columns_ahead * warps};
    if (next.column >= block_[place.block].column_end) {
      ++next.block;
      if (next.block < count) next.column = block_[next.block].column_begin;
    }
    const bool more = next.block < count;
    if (more) load(next, following);
    add(current);
    // Another child adds to the same places.
    if (more && next.block != place.block) Group::sync();
    place = next;
    return more;
  }

  __device__ __forceinline__ void load(const Place& place, Batch& batch) const {
    const ChildBlock& block = block_[place.block];
    const Index* const parent_row = problem_.plan.parent_row + block.parent_rows;
    const T* const from = problem_.contributions + block.contribution;
    const Index first_row = block.row_begin + static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
    for (int r = 0; r < rows_per_lane; ++r) {
      const Index row = first_row + r * warp_size;
      batch.to_row[r] = row < block.row_end ? rows_.inside(parent_row[row]) * tile_.row_step : -1;
    }
#pragma unroll
    for (int k = 0; k < columns_ahead; ++k) {
      const Index column = place.column + Group::warp() + k * warps;
      const bool inside = column < block.column_end;
      batch.to_column[k] = inside ? columns_.inside(parent_row[column]) * tile_.column_step : -1;
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
        const Index row = first_row + r * warp_size;
        const bool there = inside && row < block.row_end;
        const Offset at = static_cast<Offset>(column) * block.leading + row;
        batch.value[k][r] = there ? __ldcg(from + at) : T(0);
      }
    }
  }

  __device__ __forceinline__ void add(const Batch& batch) const {
#pragma unroll
    for (int k = 0; k < columns_ahead; ++k) {
      if (batch.to_column[k] < 0) continue;
#pragma unroll
      for (int r = 0; r < rows_per_lane; ++r) {
        if (batch.to_row[r] < 0) continue;
        tile_.entry[batch.to_row[r] + batch.to_column[k]] += batch.value[k][r];
      }
    }
  }

  const FrontProblem<T>& problem_;
  const FrontTask& task_;
  SharedTile<T> tile_;
  RowShift rows_, columns_;
  ChildBlock* block_;
};

// Waits until every child of the front is complete: what its contribution block may overwrite is
// not read any more. A front has at most a few dozen children.
template <class T, class Group>
__device__ void wait_for_all_children(const FrontProblem<T>& problem, const FrontShape& shape) {
  for (Index first = shape.child_begin; first < shape.child_end; first += warp_size) {
    const Index* const child = problem.plan.child + first;
    wait_for_words<Group>(
        min(shape.child_end - first, warp_size),
        [&](int k) { return problem.sync.done + child[k]; },
        [&](int k) { return static_cast<unsigned>(problem.plan.shape[child[k]].done); });
  }
}

}  // namespace lufact::gpu
