// SPDX-License-Identifier: BSD-3-Clause
// A warp or a whole thread block as one group, so that a search is written once for both.
#pragma once
#include "core/base/types.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

inline constexpr unsigned full_warp = 0xffffffffu;

// In shared memory, one for each group.
template <int kThreads>
struct GroupStorage {
  Offset partial[kThreads / warp_size];
};

template <class T>
struct GroupScan {
  T before;  // sum over the threads of lower rank
  T total;
};

// kThreads is 32, or the number of threads of the block. Every member but rank() and lane() is
// called by all threads of the group together.
template <int kThreads>
class ThreadGroup {
  static_assert(kThreads % warp_size == 0);

 public:
  static constexpr int warps = kThreads / warp_size;

  __device__ explicit ThreadGroup(GroupStorage<kThreads>& storage) : storage_(storage) {}

  __device__ int rank() const { return static_cast<int>(threadIdx.x) % kThreads; }
  __device__ int lane() const { return static_cast<int>(threadIdx.x) % warp_size; }

  __device__ void sync() const {
    if constexpr (warps == 1) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  // `value` of the thread of lowest rank that has one (value >= 0), or -1. A barrier.
  __device__ Index first(Index value) const {
    __syncwarp();
    const unsigned found = __ballot_sync(full_warp, value >= 0);
    const Index of_warp = __shfl_sync(full_warp, value, found == 0 ? 0 : __ffs(found) - 1);
    if constexpr (warps == 1) {
      return of_warp;
    } else {
      share(of_warp);
      Index result = -1;
      for (int w = warps - 1; w >= 0; --w) {
        if (storage_.partial[w] >= 0) result = static_cast<Index>(storage_.partial[w]);
      }
      __syncthreads();
      return result;
    }
  }

  // Sum of value >= 0 over the lower ranks and over all. A barrier.
  template <class T>
  __device__ GroupScan<T> scan(T value) const {
    __syncwarp();
    T inclusive = value;
    for (int distance = 1; distance < warp_size; distance *= 2) {
      const T other = __shfl_up_sync(full_warp, inclusive, distance);
      if (lane() >= distance) inclusive += other;
    }
    const T of_warp = __shfl_sync(full_warp, inclusive, warp_size - 1);
    if constexpr (warps == 1) {
      return {inclusive - value, of_warp};
    } else {
      share(of_warp);
      GroupScan<T> result{inclusive - value, 0};
      for (int w = 0; w < warps; ++w) {
        const T other = static_cast<T>(storage_.partial[w]);
        if (w < rank() / warp_size) result.before += other;
        result.total += other;
      }
      __syncthreads();
      return result;
    }
  }

 private:
  __device__ void share(Offset of_warp) const {
    if (lane() == 0) storage_.partial[rank() / warp_size] = of_warp;
    __syncthreads();
  }

  GroupStorage<kThreads>& storage_;
};

}  // namespace lufact::gpu
