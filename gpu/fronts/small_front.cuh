// SPDX-License-Identifier: BSD-3-Clause
// A front that fits one tile, as one task of a block or of a warp.
#pragma once
#include "gpu/fronts/assembly.cuh"
#include "gpu/fronts/elimination.cuh"
#include "gpu/fronts/ticket_queue.cuh"

namespace lufact::gpu {

// Shared memory: the tile, then, once it is in registers, the panels of its elimination.
template <class T, class Group>
union SmallFrontMemory {
  T entry[Group::order * Group::leading];
  EliminationPanels<T, Group> panels;
};

// Draws the block's next ticket, where the front is a block's.
template <class Group>
__device__ void draw_after_waiting(TicketQueue& queue) {
  if constexpr (Group::threads == tile_threads) queue.draw_early();
}

template <class T, class Group>
class SmallFront {
 public:
  __device__ SmallFront(const FrontProblem<T>& problem, const TaskRecord& record,
                        SmallFrontMemory<T, Group>& memory, BlocksAtHand& at_hand,
                        TicketQueue& queue)
      : problem_(problem),
        task_(record.task),
        shape_(record.shape),
        memory_(memory),
        at_hand_(at_hand),
        queue_(queue) {}

  __device__ void run() {
    const SharedTile<T> tile_entries{memory_.entry, 1, Group::leading};
    Assembly<T, Group>(problem_, task_, shape_, tile_entries, at_hand_).run();
    draw_after_waiting<Group>(queue_);
    Fragment<T> fragment;
    fragment.for_each([&](int i, int j, T& value) {
      value = tile_entries.at(Group::first_row() + i, Group::first_column() + j);
    });
    Group::sync();
    const int order = padded_pivots(shape_) + shape_.rows;
    TileElimination<T, Group>(fragment, memory_.panels, problem_.rule, problem_.counters)
        .run(shape_.pivots, order);
    store(fragment);
    count_up<Group>(problem_.sync.done + task_.front);
  }

 private:
  // The row of the front, or -1 for padding.
  __device__ Index front_row(int i) const {
    if (i < shape_.pivots) return i;
    const Index row = i - padded_pivots(shape_) + shape_.pivots;
    return row < shape_.pivots || row >= shape_.pivots + shape_.rows ? -1 : row;
  }

  __device__ void store(Fragment<T>& fragment) const {
    const Index pivots = shape_.pivots, rows = shape_.rows, order = pivots + rows;
    T* const columns = problem_.factors + shape_.factors;
    T* const right = columns + static_cast<Offset>(pivots) * order;
    T* const contribution = problem_.contributions + shape_.contribution;
    fragment.for_each([&](int i, int j, const T& value) {
      const Index row = front_row(Group::first_row() + i);
      const Index column = front_row(Group::first_column() + j);
      if (row < 0 || column < 0) return;
      if (column < pivots) {
        columns[column * order + row] = value;
      } else if (row < pivots) {
        right[(column - pivots) * pivots + row] = value;
      } else {
        contribution[(column - pivots) * rows + row - pivots] = value;
      }
    });
  }

  const FrontProblem<T>& problem_;
  const FrontTask& task_;
  const FrontShape& shape_;
  SmallFrontMemory<T, Group>& memory_;
  BlocksAtHand& at_hand_;
  TicketQueue& queue_;
};

}  // namespace lufact::gpu
