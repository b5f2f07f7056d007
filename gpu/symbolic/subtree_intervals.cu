// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/grid.cuh"
#include "gpu/symbolic/subtree_intervals.hpp"

namespace lufact::gpu {
namespace {

constexpr int counters = 3;

// Values of the vertices and their ancestors 2^k steps up (n: none), and the same of round k + 1.
struct Doubling {
  Index *value = nullptr, *value_next = nullptr;
  Index *jump = nullptr, *jump_next = nullptr;

  __device__ void swap() {
    Index* const old_value = value;
    Index* const old_jump = jump;
    value = value_next;
    jump = jump_next;
    value_next = old_value;
    jump_next = old_jump;
  }
};

class IntervalBuilder {
 public:
  __device__ IntervalBuilder(Index n, const Index* parent, Index* moving)
      : n_(n), parent_(parent), moving_(moving) {}

  // value: how many descendants each vertex has, itself included. Returns the array that holds
  // them.
  __device__ Index* sum_subtrees(const Grid& grid, Doubling doubling) {
    grid.for_each(n_, [&](Offset v) {
      doubling.value[v] = doubling.value_next[v] = 1;
      doubling.jump[v] = parent_of(v);
    });
    for (;;) {
      grid.sync();
      double_jumps(grid, doubling, [&](Offset v, Index ancestor) {
        atomicAdd(&doubling.value_next[ancestor], doubling.value[v]);
      });
      grid.sync();
      doubling.swap();
      if (!moved()) return doubling.value;
      grid.for_each(n_, [&](Offset v) { doubling.value_next[v] = doubling.value[v]; });
    }
  }

  // value: the sum of doubling.value over a vertex and its ancestors.
  __device__ Index* sum_ancestors(const Grid& grid, Doubling doubling) {
    grid.for_each(n_, [&](Offset v) { doubling.jump[v] = parent_of(v); });
    for (;;) {
      grid.sync();
      grid.for_each(n_, [&](Offset v) { doubling.value_next[v] = doubling.value[v]; });
      double_jumps(grid, doubling, [&](Offset v, Index ancestor) {
        doubling.value_next[v] += doubling.value[ancestor];
      });
      grid.sync();
      doubling.swap();
      if (!moved()) return doubling.value;
    }
  }

  // Where the subtree of each vertex begins in that of its parent. taken: n + 1 zeros.
  __device__ void place_siblings(const Grid& grid, const Index* size, Index* taken,
                                 Index* offset) const {
    grid.for_each(n_, [&](Offset v) {
      const Index p = parent_of(v);
      offset[v] = p < n_ && p == v + 1 ? size[p] - 1 - size[v] : atomicAdd(&taken[p], size[v]);
    });
  }

 private:
  __device__ Index parent_of(Offset v) const {
    const Index p = parent_[v];
    return p < 0 ? n_ : p;
  }

  template <class Body>
  __device__ void double_jumps(const Grid& grid, const Doubling& doubling, const Body& body) {
    ++round_;
    if (grid.rank() == 0) moving_[(round_ + 1) % counters] = 0;
    bool moves = false;
    grid.for_each(n_, [&](Offset v) {
      const Index ancestor = doubling.jump[v];
      Index next = n_;
      if (ancestor < n_) {
        body(v, ancestor);
        next = doubling.jump[ancestor];
      }
      doubling.jump_next[v] = next;
      moves = moves || next < n_;
    });
    if (__syncthreads_or(moves) && threadIdx.x == 0) atomicAdd(&moving_[round_ % counters], 1);
  }

  // Whether some vertex had an ancestor left; a counter is cleared long before it is used again.
  __device__ bool moved() const { return moving_[round_ % counters] > 0; }

  Index n_;
  const Index* parent_;
  Index* moving_;
  int round_ = 0;
};

struct IntervalArrays {
  Doubling sizes, starts;
  Index* taken = nullptr;   // n + 1 zeros
  Index* moving = nullptr;  // counters, zero
  Index *first = nullptr, *size = nullptr;
};

__global__ void __launch_bounds__(grid_threads, grid_blocks_per_multiprocessor)
    find_intervals(Index n, const Index* parent, const __grid_constant__ IntervalArrays arrays) {
  const Grid grid;
  IntervalBuilder builder(n, parent, arrays.moving);
  const Index* const size = builder.sum_subtrees(grid, arrays.sizes);
  builder.place_siblings(grid, size, arrays.taken, arrays.starts.value);
  const Index* const first = builder.sum_ancestors(grid, arrays.starts);
  grid.for_each(n, [&](Offset v) {
    arrays.first[v] = first[v];
    arrays.size[v] = size[v];
  });
}

}  // namespace

SubtreeIntervals build_subtree_intervals(DeviceSession& session, Index n, const Index* parent) {
  constexpr int scratch_arrays = 6;
  SubtreeIntervals intervals{{session, MemoryRole::scratch, n, "subtree starts"},
                             {session, MemoryRole::scratch, n, "subtree sizes"}};
  if (n == 0) return intervals;
  Buffer<Index> scratch(session, MemoryRole::scratch, Offset{scratch_arrays} * n + n + 1 + counters,
                        "ancestors by doubling");
  Index* const arrays = scratch.data();
  const Offset step = n;
  IntervalArrays view;
  view.sizes = {arrays, arrays + step, arrays + 2 * step, arrays + 3 * step};
  view.starts = {arrays + 4 * step, arrays + 5 * step, arrays + 2 * step, arrays + 3 * step};
  view.taken = arrays + scratch_arrays * step;
  view.moving = view.taken + n + 1;
  view.first = intervals.first.data();
  view.size = intervals.size.data();
  LUFACT_CUDA(cudaMemsetAsync(view.taken, 0, checked_bytes(n + Offset{1} + counters, sizeof(Index)),
                              session.stream()));
  launch_grid(session, n, find_intervals, n, parent, view);
  return intervals;
}

}  // namespace lufact::gpu
