// SPDX-License-Identifier: BSD-3-Clause
// Lanes of a warp that share a matrix: threads of one threadIdx.y in a block of width x matrices
// threads. Where a warp holds several matrices, all of its threads must stay together: they are
// named by one mask, so that the matrices of a warp advance in the same instructions.
#pragma once
#include "gpu/batch/paper/lanes.hpp"

namespace lufact::gpu::paper {

template <int width_>
class WarpLanes {
  static_assert(width_ <= 32);

 public:
  static constexpr int width = width_;
  __device__ WarpLanes() : mask_(threads_of_warp()) {}

  __device__ int lane() const { return static_cast<int>(threadIdx.x); }
  // Width must be a power of two.
  template <class T>
  __device__ T from(T value, int lane) const {
    return __shfl_sync(mask_, value, lane, width);
  }
  template <class T>
  __device__ T across(T value, int distance) const {
    return __shfl_xor_sync(mask_, value, distance, width);
  }
  __device__ void sync() const { __syncwarp(mask_); }

 private:
  // The last warp of a block may have fewer than 32.
  __device__ static unsigned threads_of_warp() {
    if constexpr (width == 32) return 0xffffffffU;
    const unsigned thread = threadIdx.y * width + threadIdx.x;
    const unsigned threads = blockDim.y * width - (thread & ~31U);
    return threads >= 32 ? 0xffffffffU : (1U << threads) - 1;
  }

  unsigned mask_;
};

}  // namespace lufact::gpu::paper
