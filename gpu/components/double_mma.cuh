// SPDX-License-Identifier: BSD-3-Clause
// Products of doubles on the tensor cores, where the card has them.
#pragma once
#include <cuda_runtime.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define LUFACT_DOUBLE_TENSOR_CORES 1
#endif

#ifdef LUFACT_DOUBLE_TENSOR_CORES
namespace lufact::gpu {

// sum += 8 x 8 * 8 x 8 in fragments of mma.m8n8k4 (PTX ISA, "Matrix Fragments"), two of them.
__device__ inline void multiply_8x8x8(double (&sum)[2], const double (&left)[2],
                                      const double (&right)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                 : "+d"(sum[0]), "+d"(sum[1])
                 : "d"(left[half]), "d"(right[half]));
  }
}

// {top, bottom} += 16 x 8 * 8 x 8, on cards from 9.0 on in fragments of mma.m16n8k8.
__device__ inline void multiply_16x8x8(double (&top)[2], double (&bottom)[2],
                                       const double (&left)[4], const double (&right)[2]) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%0,%1,%2,%3};"
      : "+d"(top[0]), "+d"(top[1]), "+d"(bottom[0]), "+d"(bottom[1])
      : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(right[0]), "d"(right[1]));
#else
  multiply_8x8x8(top, {left[0], left[2]}, right);
  multiply_8x8x8(bottom, {left[1], left[3]}, right);
#endif
}

}  // namespace lufact::gpu
#endif

namespace lufact::gpu {

// Four sums of a lane of mma.m16n8k16. On cards from 9.0 on alone.
__device__ inline void add_product_16x8x16(double& sum0, double& sum1, double& sum2, double& sum3,
                                           const double (&left)[8], const double (&right)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},"
      "{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};"
      : "+d"(sum0), "+d"(sum1), "+d"(sum2), "+d"(sum3)
      : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(left[4]), "d"(left[5]),
        "d"(left[6]), "d"(left[7]), "d"(right[0]), "d"(right[1]), "d"(right[2]), "d"(right[3]));
#endif
}

// sum += 16 x 16 * 16 x 8 in fragments of mma.m16n8k16. Of the lane 4 g + t: sum (g, 2t),
// (g, 2t + 1), then of row g + 8; left (g, t), (g + 8, t), then of columns t + 4, t + 8, t + 12;
// right (t, g), then of rows t + 4, t + 8, t + 12. On cards from 9.0 on alone.
__device__ inline void multiply_16x8x16(double (&sum)[4], const double (&left)[8],
                                        const double (&right)[4]) {
  add_product_16x8x16(sum[0], sum[1], sum[2], sum[3], left, right);
}
// The same with the sums of row g and those of row g + 8 apart.
__device__ inline void multiply_16x8x16(double (&top)[2], double (&bottom)[2],
                                        const double (&left)[8], const double (&right)[4]) {
  add_product_16x8x16(top[0], top[1], bottom[0], bottom[1], left, right);
}

}  // namespace lufact::gpu
