// SPDX-License-Identifier: BSD-3-Clause
// Values of the 32 lanes of a warp put together; every lane gets the result.
#pragma once
#include "core/base/types.hpp"

namespace lufact::gpu {

inline constexpr int warp_lanes = 32;  // launch.cuh's warp_size, which only nvcc can read
inline constexpr unsigned all_lanes = 0xffffffffU;

template <class T, class Join>
__device__ T joined(T value, const Join& join) {
  for (int distance = warp_lanes / 2; distance > 0; distance /= 2) {
    value = join(value, __shfl_xor_sync(all_lanes, value, distance));
  }
  return value;
}

__device__ inline double sum_of_lanes(double value) {
  return joined(value, [](double a, double b) { return a + b; });
}

// Infinite where a lane has NaN.
__device__ inline double larger_or_infinite(double a, double b) {
  return isnan(a) || isnan(b) ? static_cast<double>(INFINITY) : fmax(a, b);
}
__device__ inline double largest_of_lanes(double value) {
  return joined(value, larger_or_infinite);
}

}  // namespace lufact::gpu
