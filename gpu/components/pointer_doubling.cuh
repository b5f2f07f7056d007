// SPDX-License-Identifier: BSD-3-Clause
// Sums along the paths of a forest: as many rounds as the height of the forest has bits, as steps
// of a cooperative kernel.
#pragma once
#include "gpu/components/grid.cuh"

namespace lufact::gpu {

// Values of the vertices and their ancestors 2^k steps up (n: none), and the same of round k + 1.
struct Doubling {
  static constexpr int arrays = 4;  // of n

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

// One object for all sums of a kernel.
class PointerDoubling {
 public:
  static constexpr int counters = 3;

  // moving: counters, zero.
  __device__ PointerDoubling(const Grid& grid, Index n, Index* moving)
      : grid_(grid), n_(n), moving_(moving) {}

  // Sums of doubling.value over each vertex and its descendants; doubling.jump holds parents, and
  // value_next the same as value. Begins and ends with a barrier. Returns the array that holds the
  // sums.
  __device__ Index* sum_subtrees(Doubling doubling) {
    for (;;) {
      grid_.sync();
      double_jumps(doubling, [&](Offset v, Index ancestor) {
        atomicAdd(&doubling.value_next[ancestor], doubling.value[v]);
      });
      grid_.sync();
      doubling.swap();
      if (!moved()) return doubling.value;
      grid_.for_each(n_, [&](Offset v) { doubling.value_next[v] = doubling.value[v]; });
    }
  }

  // The same over each vertex and its ancestors; value_next need not be set.
  __device__ Index* sum_ancestors(Doubling doubling) {
    for (;;) {
      grid_.sync();
      grid_.for_each(n_, [&](Offset v) { doubling.value_next[v] = doubling.value[v]; });
      double_jumps(doubling, [&](Offset v, Index ancestor) {
        doubling.value_next[v] += doubling.value[ancestor];
      });
      grid_.sync();
      doubling.swap();
      if (!moved()) return doubling.value;
    }
  }

 private:
  template <class Body>
  __device__ void double_jumps(const Doubling& doubling, const Body& body) {
    ++round_;
    if (grid_.rank() == 0) moving_[(round_ + 1) % counters] = 0;
    bool moves = false;
    grid_.for_each(n_, [&](Offset v) {
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

  const Grid& grid_;
  Index n_;
  Index* moving_;
  int round_ = 0;
};

}  // namespace lufact::gpu
