// SPDX-License-Identifier: BSD-3-Clause
// What nvcc has built in and the validator of a warp calls, for an EmulatedWarp of the host.
// Included in front of the code that is emulated.
#pragma once
#include <cmath>

#include "gpu/batch/ours/test/emulated_lanes.hpp"

namespace lufact::gpu {

using ours::EmulatedWarp;
using std::isfinite;
using std::isnan;
using std::max;
using std::min;

inline void __syncwarp() {
  EmulatedWarp::current().exchange("syncwarp", 0);
}
inline unsigned __ballot_sync(unsigned, bool value) {
  const auto all = EmulatedWarp::current().exchange("ballot", value);
  unsigned bits = 0;
  for (std::size_t lane = 0; lane < all.size(); ++lane) bits |= unsigned{all[lane]} << lane;
  return bits;
}
inline int __any_sync(unsigned lanes, bool value) {
  return __ballot_sync(lanes, value) != 0 ? 1 : 0;
}
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  return EmulatedWarp::current().exchange("shuffle", value)[static_cast<std::size_t>(lane)];
}
template <class T>
T __shfl_xor_sync(unsigned lanes, T value, int distance) {
  return __shfl_sync(lanes, value, EmulatedWarp::current().lane() ^ distance);
}
inline float __fmaf_rn(float a, float b, float c) {
  return std::fma(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
  return std::fma(a, b, c);
}

}  // namespace lufact::gpu
