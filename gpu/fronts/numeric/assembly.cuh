// SPDX-License-Identifier: BSD-3-Clause
// The assembly of a tile in shared memory: entries of B, and rectangles of the contribution blocks
// of children, added in a fixed order.
#pragma once
#include "gpu/fronts/tasks/front_problem.cuh"
#include "gpu/fronts/tasks/publish.cuh"
#include "gpu/fronts/tasks/row_shift.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

// Entry (i, j) is at entry[i * row_step + j * column_step].
template <class T>
struct SharedTile {
  T* entry;
  int row_step, column_step;

  __device__ T& at(int i, int j) const { return entry[i * row_step + j * column_step]; }
};

__device__ inline float quick_quotient(float dividend, float divisor) {
  return __fdividef(dividend, divisor);
}

// Numbers the entries of a rectangle of at most 64 x 64 by columns, from 0.
struct FlatRectangle {
  Index rows, size;
  float one_over_rows;

  __device__ FlatRectangle(Index row_count, Index column_count)
      : rows(row_count),
        size(row_count * column_count),
        one_over_rows(quick_quotient(1.0F, static_cast<float>(row_count))) {}

  // Exact: entry + 1/2 is at least half an entry from a multiple of `rows`.
  __device__ Index column(Index entry) const {
    return static_cast<Index>((static_cast<float>(entry) + 0.5F) * one_over_rows);
  }
};

// A non-empty rectangle of a child: its place, and relative indices of its rows and columns.
template <class T>
struct ChildRectangle {
  const T* from;
  const Index *to_row, *to_column;
  Index leading;
  FlatRectangle flat;

  __device__ ChildRectangle(const FrontProblem<T>& problem, const ChildBlock& block)
      : from(problem.contributions + block.contribution + block.row_begin +
             static_cast<Offset>(block.column_begin) * block.leading),
        to_row(problem.plan.parent_row + block.parent_rows + block.row_begin),
        to_column(problem.plan.parent_row + block.parent_rows + block.column_begin),
        leading(block.leading),
        flat(block.row_end - block.row_begin, block.column_end - block.column_begin) {}
};

// Rectangles of children that a group holds at a time, in shared memory.
inline constexpr int blocks_at_hand = 12;

template <class T>
struct BlocksAtHand {
  alignas(ChildRectangle<T>) char rectangle[blocks_at_hand * sizeof(ChildRectangle<T>)];

  __device__ ChildRectangle<T>& operator[](int k) {
    return reinterpret_cast<ChildRectangle<T>*>(rectangle)[k];
  }
};

template <class T, class Group>
class Assembly {
 public:
  __device__ Assembly(const FrontProblem<T>& problem, const FrontTask& task,
                      const FrontShape& shape, const SharedTile<T>& tile_entries,
                      BlocksAtHand<T>& at_hand)
      : problem_(problem),
        task_(task),
        tile_(tile_entries),
        rows_(shape, task.tile_row),
        columns_(shape, task.tile_column),
        at_hand_(at_hand) {}

  // Assembles the tile; all threads see it complete on return.
  __device__ void run() {
    Index first = task_.block_begin;
    ChildBlock child = own_child(first);
    clear();
    Group::sync();
    AwaitedWord word = look_at(child);
    add_entries();
    if (first == task_.block_end) return Group::sync();
    for (;;) {
      const Index count = min(task_.block_end - first, blocks_at_hand);
      first += count;
      child = own_child(first);
      wait_for<Group>(word);
      add_blocks(count);
      if (first == task_.block_end) return;
      word = look_at(child);
    }
  }

 private:
  // The thread's rectangle, number first + rank; an empty one beyond the last.
  __device__ ChildBlock own_child(Index first) const {
    const bool has_child = Group::rank() < min(task_.block_end - first, blocks_at_hand);
    return has_child ? problem_.plan.block[first + Group::rank()] : ChildBlock{};
  }
  __device__ AwaitedWord look_at(const ChildBlock& child) const {
    if (child.done == 0) return {};
    at_hand_[Group::rank()] = ChildRectangle<T>(problem_, child);
    return {problem_.sync.done + child.child, static_cast<unsigned>(child.done)};
  }

  // Entries that a thread holds at a time.
  static constexpr int batch = Group::threads > warp_size ? 16 : 8;

  // One thread's entry of a rectangle, loaded and to be added to the tile.
  struct Moving {
    T value;
    Index row, column;  // of the front
  };

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

  // The place of an entry in the tile; for an absent entry, a padding place of the thread's own.
  __device__ T* place(const Moving& entry, bool present) const {
    constexpr int padding = Group::leading - Group::order;
    static_assert(Group::threads <= padding * Group::order);
    const int none =
        Group::rank() / padding * Group::leading + Group::order + Group::rank() % padding;
    const int place = rows_.inside(entry.row) * tile_.row_step +
                      columns_.inside(entry.column) * tile_.column_step;
    return tile_.entry + (present ? place : none);
  }

  // Loads of as many rectangles as fit a batch overlap. Rectangles are added one after the other,
  // since different threads may add to the same place; within one, places differ. No branch depends
  // on the thread, since that would serialise the loads.
  __device__ void add_blocks(int count) {
    ChildRectangle<T> rectangle = at_hand_[0];
    int block = 0;
    Index next = 0;  // entry of the rectangle
#pragma unroll 1
    while (block < count) {
      Moving entry[batch];
      unsigned present = 0, last = 0;  // bit k: entry k is there, is of its rectangle's last
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        entry[k] = {T(0), 0, 0};
        if (block == count) continue;
        const Index e = next + Group::rank();
        present |= static_cast<unsigned>(e < rectangle.flat.size) << k;
        const Index held = min(e, rectangle.flat.size - 1);
        const Index column = rectangle.flat.column(held), row = held - column * rectangle.flat.rows;
        entry[k] = {__ldcg(rectangle.from + static_cast<Offset>(column) * rectangle.leading + row),
                    rectangle.to_row[row], rectangle.to_column[column]};
        next += Group::threads;
        if (next < rectangle.flat.size) continue;
        last |= 1U << k;
        if (++block < count) rectangle = at_hand_[block];
        next = 0;
      }
      add_batch(entry, present, last);
    }
  }

  __device__ void add_batch(const Moving (&entry)[batch], unsigned present, unsigned last) const {
    constexpr unsigned final_entry = 1U << (batch - 1);
    const auto to = [&](int k) { return place(entry[k], (present >> k & 1) != 0); };
    if ((last & ~final_entry) == 0) {
      T sum[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        sum[k] = *to(k) + entry[k].value;
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) *to(k) = sum[k];
      if (last != 0) Group::sync();
      return;
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      *to(k) += entry[k].value;
      if ((last >> k & 1) != 0) Group::sync();
    }
  }

  const FrontProblem<T>& problem_;
  const FrontTask& task_;
  SharedTile<T> tile_;
  RowShift rows_, columns_;
  BlocksAtHand<T>& at_hand_;
};

// Waits until every child of the front is complete, so that nothing which the front's contribution
// block may overwrite is still read. A front has at most a few dozen children.
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
