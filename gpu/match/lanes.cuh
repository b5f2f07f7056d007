// SPDX-License-Identifier: BSD-3-Clause
// Threads that take one row together: some of a warp, or a block.
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

// All kThreads threads of a block. `places`, in shared memory, are for reductions alone.
template <int kThreads>
class BlockLanes {
 public:
  static constexpr int warps = kThreads / warp_size;
  static_assert(warps == warp_size, "a lane of each warp combines what one warp has left");
  using Places = Word[2 * warps];

  __device__ explicit BlockLanes(Places& places) : places_(places) {}
  __device__ Offset rank() const { return threadIdx.x; }
  __device__ static constexpr Offset count() { return kThreads; }

  template <class T>
  __device__ T largest(T value) const {
    return Warp().largest(from_all_warps(Warp().largest(value)));
  }
  template <class T>
  __device__ T least(T value) const {
    return Warp().least(from_all_warps(Warp().least(value)));
  }
  __device__ Word sum(Word value) const { return Warp().sum(from_all_warps(Warp().sum(value))); }
  __device__ void least_two(Word& best, Word& second) const {
    Warp().least_two(best, second);
    put(0, best);
    put(warps, second);
    __syncthreads();
    best = places_[lane()];
    second = places_[warps + lane()];
    __syncthreads();
    Warp().least_two(best, second);
  }

 private:
  using Warp = WarpLanes<warp_size>;

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_size; }
  __device__ void put(int first, Word value) const {
    if (lane() == 0) places_[first + static_cast<int>(threadIdx.x) / warp_size] = value;
  }
  // A value that the threads of a warp have alike, to the lane that has the warp's number.
  template <class T>
  __device__ T from_all_warps(T value) const {
    if constexpr (sizeof(T) == sizeof(Word)) {
      return exchanged(value);
    } else {
      return bits_as<T>(static_cast<std::uint32_t>(exchanged(bits_as<std::uint32_t>(value))));
    }
  }
  __device__ Word exchanged(Word value) const {
    put(0, value);
    __syncthreads();
    const Word other = places_[lane()];
    __syncthreads();
    return other;
  }

  Places& places_;
};

}  // namespace lufact::gpu
