// SPDX-License-Identifier: BSD-3-Clause
// Threads that take one row together.
#pragma once
#include "gpu/components/thread_group.cuh"
#include "gpu/match/match_state.hpp"

namespace lufact::gpu {

// The least two of four, of which each pair is in order.
__device__ inline void merge_least_two(Word& best, Word& second, Word other_best,
                                       Word other_second) {
  second = lesser(lesser(second, other_second), larger(best, other_best));
  best = lesser(best, other_best);
}

// kLanes neighbours in a warp, a power of two. Every reduction is called by all of them.
template <int kLanes>
class WarpLanes {
 public:
  __device__ WarpLanes() {
    const unsigned first = threadIdx.x % warp_size & ~static_cast<unsigned>(kLanes - 1);
    mask_ = kLanes == warp_size ? full_warp : ((1U << (kLanes % warp_size)) - 1) << first;
  }
  __device__ Offset rank() const { return threadIdx.x % kLanes; }
  __device__ static constexpr Offset count() { return kLanes; }

  template <class T>
  __device__ T largest(T value) const {
    return reduce(value, [](T a, T b) { return larger(a, b); });
  }
  template <class T>
  __device__ T least(T value) const {
    return reduce(value, [](T a, T b) { return lesser(a, b); });
  }
  __device__ Word sum(Word value) const {
    return reduce(value, [](Word a, Word b) { return a + b; });
  }
  __device__ void least_two(Word& best, Word& second) const {
#pragma unroll
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      const Word other_best = __shfl_xor_sync(mask_, best, distance);
      const Word other_second = __shfl_xor_sync(mask_, second, distance);
      merge_least_two(best, second, other_best, other_second);
    }
  }

 private:
  template <class T, class Combine>
  __device__ T reduce(T value, const Combine& combine) const {
#pragma unroll
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      value = combine(value, __shfl_xor_sync(mask_, value, distance));
    }
    return value;
  }

  unsigned mask_;
};

}  // namespace lufact::gpu
