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

// In shared memory, for BlockLanes.
template <int kThreads>
struct BlockLanesStorage {
  Word best[kThreads / warp_size], second[kThreads / warp_size];
};

// A whole block. Reductions are barriers of it.
template <int kThreads>
class BlockLanes {
 public:
  __device__ explicit BlockLanes(BlockLanesStorage<kThreads>& storage) : storage_(storage) {}
  __device__ Offset rank() const { return threadIdx.x; }
  __device__ static constexpr Offset count() { return kThreads; }

  template <class T>
  __device__ T largest(T value) const {
    return reduce(WarpLanes<warp_size>().largest(value), [](T a, T b) { return larger(a, b); });
  }
  template <class T>
  __device__ T least(T value) const {
    return reduce(WarpLanes<warp_size>().least(value), [](T a, T b) { return lesser(a, b); });
  }
  __device__ Word sum(Word value) const {
    return reduce(WarpLanes<warp_size>().sum(value), [](Word a, Word b) { return a + b; });
  }
  __device__ void least_two(Word& best, Word& second) const {
    WarpLanes<warp_size>().least_two(best, second);
    __syncthreads();
    if (threadIdx.x % warp_size == 0) {
      storage_.best[threadIdx.x / warp_size] = best;
      storage_.second[threadIdx.x / warp_size] = second;
    }
    __syncthreads();
    best = storage_.best[0];
    second = storage_.second[0];
    for (int w = 1; w < kThreads / warp_size; ++w) {
      merge_least_two(best, second, storage_.best[w], storage_.second[w]);
    }
  }

 private:
  // From the values of warps, of up to 8 bytes.
  template <class T, class Combine>
  __device__ T reduce(T of_warp, const Combine& combine) const {
    static_assert(sizeof(T) <= sizeof(Word));
    T* const values = reinterpret_cast<T*>(storage_.best);
    __syncthreads();
    if (threadIdx.x % warp_size == 0) values[threadIdx.x / warp_size] = of_warp;
    __syncthreads();
    T result = values[0];
    for (int w = 1; w < kThreads / warp_size; ++w) result = combine(result, values[w]);
    return result;
  }

  BlockLanesStorage<kThreads>& storage_;
};

}  // namespace lufact::gpu
