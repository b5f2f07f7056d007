// SPDX-License-Identifier: BSD-3-Clause
// Reciprocals from the hardware's estimate, where a division would be on the chain of pivots.
#pragma once
#include <cuda_runtime.h>

namespace lufact::gpu {

// 1 / x to within an ulp or two where is_quick(x); faster than a division.
__device__ inline double quick_reciprocal(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  // r is good to 23 bits: the error e of x r leaves 1 + e + e^2 to multiply with.
  const double e = fma(-x, r, 1.0);
  return fma(r, fma(e, e, e), r);
}
__device__ inline float quick_reciprocal(float x) {
  float r;  // to an ulp; one rounded to nearest takes a branch
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

// Whether |x| is in about [1e-290, 1e290], or [1e-36, 1e36]: seen from the exponent alone.
__device__ inline bool is_quick(double x) {
  constexpr unsigned low = 60U << 20, high = 1986U << 20;
  return (static_cast<unsigned>(__double2hiint(x)) & 0x7fffffffU) - low < high - low;
}
__device__ inline bool is_quick(float x) {
  constexpr unsigned low = 8U << 23, high = 246U << 23;
  return (__float_as_uint(x) & 0x7fffffffU) - low < high - low;
}

}  // namespace lufact::gpu
