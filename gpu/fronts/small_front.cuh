// SPDX-License-Identifier: BSD-3-Clause
// A front that fits one tile: how it is stored, and how one warp eliminates it.
#pragma once
#include "gpu/fronts/assembly.cuh"
#include "gpu/fronts/elimination.cuh"
#include "gpu/fronts/row_exchange.cuh"
#include "gpu/fronts/ticket_queue.cuh"

namespace lufact::gpu {

// Stores an eliminated front from shared memory, pivots padded there. By all threads of the group.
template <class T, class Group>
__device__ void store_small_front(const FrontProblem<T>& problem, const FrontShape& shape,
                                  const T* entry) {
  const Index pivots = shape.pivots, rows = shape.rows, order = pivots + rows;
  const Index padding = padded_pivots(shape) - pivots;
  T* const columns = problem.factors + shape.factors;
  T* const right = columns + static_cast<Offset>(pivots) * order;
  T* const contribution = problem.contributions + shape.contribution;
  const FlatRectangle rectangle(order, order);
#pragma unroll 2
  for (Index e = Group::rank(); e < rectangle.size; e += Group::threads) {
    const Index column = rectangle.column(e), row = e - column * order;
    const Index i = row < pivots ? row : row + padding;
    const Index j = column < pivots ? column : column + padding;
    T* const to = column < pivots ? columns + e
                  : row < pivots  ? right + (column - pivots) * pivots + row
                                  : contribution + (column - pivots) * rows + row - pivots;
    *to = entry[i + j * Group::leading];
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
  __device__ WarpFront(const FrontProblem<T>& problem, const TaskRecord& record,
                       WarpFrontMemory<T>& memory, BlocksAtHand<T>& at_hand, TicketQueue& queue)
      : problem_(problem),
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
    TileElimination<T, WarpGroup, Rows>(fragment, memory_.panels, rows, problem_.rule,
                                        problem_.counters)
        .run(shape_.pivots);
    if constexpr (Rows::exchanges) {
      rows.store_sources(problem_.row_source + shape_.first, shape_.pivots);
    }
    queue_.draw_early();
    __syncwarp();
    fragment.for_each([&](int i, int j, const T& value) { tile_entries.at(i, j) = value; });
    __syncwarp();
    store_small_front<T, WarpGroup>(problem_, shape_, memory_.entry);
    count_up<WarpGroup>(problem_.sync.done + task_.front);
  }

 private:
  const FrontProblem<T>& problem_;
  const FrontTask& task_;
  const FrontShape& shape_;
  WarpFrontMemory<T>& memory_;
  BlocksAtHand<T>& at_hand_;
  TicketQueue& queue_;
};

}  // namespace lufact::gpu
