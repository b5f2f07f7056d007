// SPDX-License-Identifier: BSD-3-Clause
// Small matrices of a warp in shared memory, as the validator on the device uses them.
#pragma once
#include "gpu/batch/warp_values.cuh"

namespace lufact::gpu {

// n x n doubles by columns, with an odd leading dimension: neither rows nor columns meet in banks.
struct SharedMatrix {
  double* entries;
  Index n;

  __host__ __device__ static constexpr Index leading(Index n) { return n | 1; }
  __host__ __device__ static constexpr Index size(Index n) { return n * leading(n); }
  __device__ double& operator()(Index i, Index j) const { return entries[j * leading(n) + i]; }
};

// Multiplies by 2^-exponent, for exponents from -1021 to 1021 + 53.
class PowerOfTwo {
 public:
  PowerOfTwo() = default;
  // That which brings `largest` to at least 1/2 and below 1; 0 is left alone.
  __device__ explicit PowerOfTwo(double largest) {
    frexp(largest, &exponent_);
    exponent_ = min(max(exponent_, -1021), 1021);
    half_ = ldexp(1.0, -exponent_ / 2);
    rest_ = ldexp(1.0, -exponent_ - -exponent_ / 2);
  }
  __device__ double operator()(double value) const { return value * half_ * rest_; }
  __device__ int exponent() const { return exponent_; }

 private:
  int exponent_ = 0;
  double half_ = 1, rest_ = 1;
};

__device__ inline double column_sum_norm(const SharedMatrix& a, int lane) {
  double norm = 0;
  for (Index j = lane; j < a.n; j += warp_lanes) {
    double sum = 0;
    for (Index i = 0; i < a.n; ++i) sum += fabs(a(i, j));
    norm = larger_or_infinite(norm, sum);
  }
  return largest_of_lanes(norm);
}

__device__ inline double row_sum_norm(const SharedMatrix& a, int lane) {
  double norm = 0;
  for (Index i = lane; i < a.n; i += warp_lanes) {
    double sum = 0;
    for (Index j = 0; j < a.n; ++j) sum += fabs(a(i, j));
    norm = larger_or_infinite(norm, sum);
  }
  return largest_of_lanes(norm);
}

}  // namespace lufact::gpu
