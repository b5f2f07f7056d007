// SPDX-License-Identifier: BSD-3-Clause
// Threads that take one row together: some of a warp, a block, or all of the grid.
#pragma once
#include "gpu/components/grid.cuh"
#include "gpu/components/thread_group.cuh"
#include "gpu/match/match_state.hpp"

namespace lufact::gpu {

// The least two of four, of which each pair is in order.
__device__ inline void merge_least_two(Word& best, Word& second, Word other_best,
                                       Word other_second) {
  second = lesser(lesser(second, other_second), larger(best, other_best));
  best = lesser(best, other_best);
}

// The bits of a value of four or eight bytes.
template <class T>
__device__ Word as_word(T value) {
  if constexpr (sizeof(T) == sizeof(Word)) {
    return bits_as<Word>(value);
  } else {
    return bits_as<std::uint32_t>(value);
  }
}
template <class T>
__device__ T from_word(Word word) {
  if constexpr (sizeof(T) == sizeof(Word)) {
    return bits_as<T>(word);
  } else {
    return bits_as<T>(static_cast<std::uint32_t>(word));
  }
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
    return from_word<T>(exchanged(as_word(value)));
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

// All threads of a cooperative launch of blocks of kThreads. One object takes one row after the
// other; behind its last row comes a barrier of the grid, as there is one in every reduction.
template <int kThreads>
class GridLanes {
 public:
  static constexpr unsigned most_blocks = 1024;
  // In global memory, for reductions alone: two words of each block, for every second reduction.
  using OfBlocks = Word[2][most_blocks];
  using Words = OfBlocks[2];

  __device__ GridLanes(typename BlockLanes<kThreads>::Places& places, Words& words)
      : block_(places), words_(words) {}
  __device__ Offset rank() const { return Grid().rank(); }
  __device__ Offset count() const { return Grid().size(); }

  template <class T>
  __device__ T largest(T value) const {
    value = block_.largest(value);
    const OfBlocks& all = exchanged(as_word(value), 0);
    for_blocks([&](unsigned b) { value = larger(value, from_word<T>(all[0][b])); });
    return Warp().largest(value);
  }
  template <class T>
  __device__ T least(T value) const {
    value = block_.least(value);
    const OfBlocks& all = exchanged(as_word(value), 0);
    for_blocks([&](unsigned b) { value = lesser(value, from_word<T>(all[0][b])); });
    return Warp().least(value);
  }
  __device__ Word sum(Word value) const {
    const OfBlocks& all = exchanged(block_.sum(value), 0);
    value = 0;
    for_blocks([&](unsigned b) { value += all[0][b]; });
    return Warp().sum(value);
  }
  __device__ void least_two(Word& best, Word& second) const {
    block_.least_two(best, second);
    const OfBlocks& all = exchanged(best, second);
    best = second = ~Word{0};
    for_blocks([&](unsigned b) { merge_least_two(best, second, all[0][b], all[1][b]); });
    Warp().least_two(best, second);
  }

 private:
  using Warp = WarpLanes<warp_size>;

  // By the lanes of each warp together.
  template <class Body>
  __device__ static void for_blocks(const Body& body) {
    for (unsigned b = threadIdx.x % warp_size; b < gridDim.x; b += warp_size) body(b);
  }
  // What each block has, to be read before the reduction after the next one.
  __device__ const OfBlocks& exchanged(Word first, Word second) const {
    OfBlocks& all = words_[reductions_++ % 2];
    if (threadIdx.x == 0) {
      all[0][blockIdx.x] = first;
      all[1][blockIdx.x] = second;
    }
    Grid().sync();
    return all;
  }
  BlockLanes<kThreads> block_;
  Words& words_;
  mutable unsigned reductions_ = 0;
};

}  // namespace lufact::gpu
