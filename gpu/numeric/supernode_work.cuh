// SPDX-License-Identifier: BSD-3-Clause
// Data that one supernode of a left-looking factorization works with.
#pragma once
#include <cuda/atomic>

#include "gpu/components/thread_group.cuh"
#include "gpu/numeric/pivots.cuh"
#include "gpu/numeric/supernode_plan.hpp"

namespace lufact::gpu {

// States of a supernode; each is reached once.
enum SupernodeState : unsigned { supernode_waiting = 0, supernode_done = 1 };

struct SupernodeSync {
  unsigned* state;   // of each supernode
  unsigned* ticket;  // tasks taken
  unsigned* slabs;   // pieces of global work space taken
};

using SupernodeFlag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// A source supernode of the supernode at work.
struct SourceStep {
  Offset
      below[supernode_width];  // position by columns of each column's first row below the supernode
  Index supernode;
  Index place;  // of its first column among the positions
  Index rows;   // below it
  int width;
};

// In shared memory, one for each group that works on a supernode.
template <class T>
struct SupernodeScratch {
  alignas(16) T block[supernode_width * supernode_width];  // U of the step, by columns
  T inverse[supernode_width];                              // of the pivots
  int ready;                                               // steps known to be finished
};

// Steps that a group keeps in shared memory at a time.
inline constexpr int steps_per_warp = 8;
inline constexpr int steps_per_block = 32;

// Arguments common to all supernodes.
template <class T>
struct SupernodeProblem {
  FactorsRef<T> factors;
  SupernodesRef supernodes;
  SupernodeSync sync;
  PivotRule<T> rule;
  NumericCounters* counters;
};

// Work space of one supernode: row numbers of its positions, ascending, and for each of the padded
// columns a value at every position.
template <class T>
struct SupernodeWork {
  Index* rows;
  T* values;
};

// After a barrier of the group that wrote the supernode.
__device__ inline void mark_done(const SupernodeSync& sync, Index supernode) {
  SupernodeFlag(sync.state[supernode]).store(supernode_done, cuda::memory_order_release);
}

// By one warp: waits until the source of step `index` is finished; returns how many steps from
// there on, at most a warp's, are known to be. A source without rows below needs no wait.
__device__ inline int wait_for_step(const SupernodeSync& sync, const SourceStep* steps, int index,
                                    int count) {
  const int mine = index + static_cast<int>(threadIdx.x) % warp_size;
  int known = 0;
  while (known == 0) {
    bool done = mine < count;
    if (done && steps[mine].rows > 0) {
      SupernodeFlag state(sync.state[steps[mine].supernode]);
      done = state.load(cuda::memory_order_relaxed) != supernode_waiting;
    }
    const unsigned waiting = ~__ballot_sync(full_warp, done);
    known = waiting == 0 ? warp_size : __ffs(waiting) - 1;
  }
  cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
  return known;
}

}  // namespace lufact::gpu
