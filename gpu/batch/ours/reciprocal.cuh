// SPDX-License-Identifier: BSD-3-Clause
// Quick reciprocals: the hardware's estimate and Newton's iteration, right to rounding for
// magnitudes in [2^-1000, 2^1000] (double) and [2^-120, 2^121] (float). What it gives for others is
// not said: who uses it must notice them (magnitude_key.cuh).
#pragma once
#include <cmath>

#include "gpu/batch/ours/lanes.cuh"

namespace lufact::gpu::ours {

LUFACT_LANE double quick_reciprocal(double value) {
#ifdef __CUDA_ARCH__
  double estimate;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(value));
  double error = fma(-value, estimate, 1.0);
  estimate = fma(estimate, error, estimate);
  error = fma(-value, estimate, 1.0);
  estimate = fma(estimate, error, estimate);
#else
  const double estimate = 1.0 / value;
#endif
  return estimate;
}

LUFACT_LANE float quick_reciprocal(float value) {
#ifdef __CUDA_ARCH__
  float estimate;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(value));
  const float error = fmaf(-value, estimate, 1.0F);
  estimate = fmaf(estimate, error, estimate);
#else
  const float estimate = 1.0F / value;
#endif
  return estimate;
}

LUFACT_LANE double multiply_add(double a, double b, double c) {
  return fma(a, b, c);
}
LUFACT_LANE float multiply_add(float a, float b, float c) {
  return fmaf(a, b, c);
}

}  // namespace lufact::gpu::ours
