// SPDX-License-Identifier: BSD-3-Clause
// A front that fits one tile: storing it, and its elimination by one warp.
#pragma once
#include "gpu/fronts/numeric/assembly.cuh"
#include "gpu/fronts/numeric/elimination.cuh"
#include "gpu/fronts/numeric/row_exchange.cuh"
#include "gpu/fronts/tasks/ticket_queue.cuh"

namespace lufact::gpu {

// Stores the contribution block, which the parent waits for, of a front whose fragments a group
// holds. By all threads of the group.
template <class T, class Group>
__device__ void store_contribution(const FrontProblem<T>& problem, const FrontShape& shape,
                                   Fragment<T>& entries) {
  const int first_row = Group::first_row() - padded_pivots(shape);
  const int first_column = Group::first_column() - padded_pivots(shape);
  const auto rows = static_cast<unsigned>(shape.rows);
  T* const to = problem.contributions + shape.contribution;
  entries.for_each([&](int i, int j, const T& value) {
    const auto row = static_cast<unsigned>(first_row + i);
    const auto column = static_cast<unsigned>(first_column + j);
    if (row < rows && column < rows) store_result(to + column * rows + row, value);
  });
}

// Stores an eliminated front from shared memory, where its pivots are padded: the pivots' columns,
// then their rows to the right. By all threads of the group.
template <class T, class Group>
__device__ void store_small_factors(const FrontProblem<T>& problem, const FrontShape& shape,
                                    const T* entry) {
  const Index pivots = shape.pivots, order = pivots + shape.rows;
  const Index padded = padded_pivots(shape);
  T* const to = problem.factors + shape.factors;
  const FlatRectangle columns(order, pivots), right(pivots, shape.rows);
#pragma unroll 2
  for (Index e = Group::rank(); e < columns.size; e += Group::threads) {
    const Index column = columns.column(e), row = e - column * order;
    to[e] = entry[(row < pivots ? row : row - pivots + padded) + column * Group::leading];
  }
#pragma unroll 2
  for (Index e = Group::rank(); e < right.size; e += Group::threads) {
    const Index column = right.column(e), row = e - column * pivots;
    to[columns.size + e] = entry[row + (padded + column) * Group::leading];
  }
}

// Shared memory: the tile, then, once it is in registers, the panels of its elimination, then the
// tile again, which is cleared by 16 bytes.
template <class T>
union alignas(16) WarpFrontMemory {
  T entry[WarpGroup::order * WarpGroup::leading];
  EliminationPanels<T, WarpGroup> panels;
};

template <class T, Pivoting pivoting>
class WarpFront {
 public:
  __device__ WarpFront(const FrontProblem<T>& problem, const PivotRule<T>& rule,
                       const TaskRecord& record, WarpFrontMemory<T>& memory,
                       BlocksAtHand<T>& at_hand, TicketQueue& queue)
      : problem_(problem),
        rule_(rule),
        task_(record.task),
        shape_(record.shape),
        memory_(memory),
        at_hand_(at_hand),
        queue_(queue) {}

  __device__ void run() {
    const SharedTile<T> tile_entries{memory_.entry, 1, WarpGroup::leading};
    Assembly<T, WarpGroup>(problem_, task_, shape_, tile_entries, at_hand_).run();
    Fragment<T> fragment;
    fragment.for_each([&](int i, int j, T& value) { value = tile_entries.at(i, j); });
    __syncwarp();
    using Rows = TileRows<T, WarpGroup, pivoting>;
    Rows rows;
    TileElimination<T, WarpGroup, Rows>(fragment, memory_.panels, rows, rule_, problem_.counters)
        .run(shape_.pivots);
    if constexpr (Rows::exchanges) {
      rows.store_sources(problem_.row_source + shape_.first, shape_.pivots);
    }
    store_contribution<T, WarpGroup>(problem_, shape_, fragment);
    count_up<WarpGroup>(problem_.sync.done + task_.front);
    queue_.draw_early();
    fragment.for_each([&](int i, int j, const T& value) { tile_entries.at(i, j) = value; });
    __syncwarp();
    store_small_factors<T, WarpGroup>(problem_, shape_, memory_.entry);
  }

 private:
  const FrontProblem<T>& problem_;
  const PivotRule<T>& rule_;
  const FrontTask& task_;
  const FrontShape& shape_;
  WarpFrontMemory<T>& memory_;
  BlocksAtHand<T>& at_hand_;
  TicketQueue& queue_;
};

}  // namespace lufact::gpu
