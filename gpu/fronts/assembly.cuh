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

template <class T, class Group>
class Assembly {
 public:
  __device__ Assembly(const FrontProblem<T>& problem, const FrontTask& task,
                      const FrontShape& shape, const SharedTile<T>& tile_entries)
      : problem_(problem),
        task_(task),
        tile_(tile_entries),
        rows_(shape, task.tile_row),
        columns_(shape, task.tile_column) {}

  // All threads see the tile complete.
  __device__ void run() {
    clear();
    Group::sync();
    add_entries();
    for (Index block = task_.block_begin; block < task_.block_end; block += warp_size) {
      const int count = min(task_.block_end - block, warp_size);
      wait_for_children(block, count);
      for (int k = 0; k < count; ++k) {
        add_block(problem_.plan.block[block + k]);
        Group::sync();
      }
    }
    if (task_.block_begin == task_.block_end) Group::sync();
  }

 private:
  __device__ void clear() {
    constexpr int words = Group::order * Group::leading * static_cast<int>(sizeof(T)) / 16;
    static_assert(Group::order * Group::leading * sizeof(T) % 16 == 0);
    int4* const to = reinterpret_cast<int4*>(tile_.entry);
#pragma unroll 4
    for (int w = Group::rank(); w < words; w += Group::threads) to[w] = make_int4(0, 0, 0, 0);
  }

  __device__ void add_entries() {
    for (Index e = task_.entry_begin + Group::rank(); e < task_.entry_end; e += Group::threads) {
      const int place = problem_.plan.entry_place[e];
      tile_.at(place % 256, place / 256) = problem_.scaled[problem_.plan.entry_source[e]];
    }
  }

  __device__ void wait_for_children(Index block, int count) {
    const ChildBlock* const blocks = problem_.plan.block + block;
    wait_for_words<Group>(
        count, [&](int k) { return problem_.sync.done + blocks[k].child; },
        [&](int k) { return static_cast<unsigned>(blocks[k].done); });
  }

  // A warp takes columns, a lane rows; several columns are on their way at the same time.
  __device__ void add_block(const ChildBlock& block) {
    constexpr int warps = Group::threads / warp_size, ahead = 8,
                  lanes_rows = Group::order / warp_size;
    const Index* const parent_row = problem_.plan.parent_row + block.parent_rows;
    const T* const from = problem_.contributions + block.contribution;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    Index row[lanes_rows], to_row[lanes_rows];
#pragma unroll
    for (int r = 0; r < lanes_rows; ++r) {
      row[r] = block.row_begin + lane + r * warp_size;
      to_row[r] = row[r] < block.row_end ? rows_.inside(parent_row[row[r]]) * tile_.row_step : 0;
    }
#pragma unroll 1
    for (Index first = block.column_begin + Group::warp(); first < block.column_end;
         first += ahead * warps) {
      T value[ahead][lanes_rows];
      Index to_column[ahead];
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        const Index column = first + k * warps;
        const bool inside = column < block.column_end;
        to_column[k] = inside ? columns_.inside(parent_row[column]) * tile_.column_step : 0;
#pragma unroll
        for (int r = 0; r < lanes_rows; ++r) {
          const bool there = inside && row[r] < block.row_end;
          const Offset place = static_cast<Offset>(column) * block.leading + row[r];
          value[k][r] = there ? __ldcg(from + place) : T(0);
        }
      }
#pragma unroll
      for (int k = 0; k < ahead; ++k) {
        if (first + k * warps >= block.column_end) continue;
#pragma unroll
        for (int r = 0; r < lanes_rows; ++r) {
          if (row[r] < block.row_end) tile_.entry[to_row[r] + to_column[k]] += value[k][r];
        }
      }
    }
  }

  const FrontProblem<T>& problem_;
  const FrontTask& task_;
  SharedTile<T> tile_;
  RowShift rows_, columns_;
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
