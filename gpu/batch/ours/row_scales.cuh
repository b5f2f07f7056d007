// SPDX-License-Identifier: BSD-3-Clause
// Equilibration of rows by powers of two, which round nothing. Gauss-Jordan elimination in place
// is not row-wise stable: where rows differ widely in size, its residual grows with their ratio
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 14.4). The inverse
// of A is that of D A, times D from the right. Matrices whose rows are alike are left as they are,
// so that they pay for the comparison alone.
#pragma once
#include "gpu/batch/ours/magnitude_key.cuh"

namespace lufact::gpu::ours {

// Rows are alike where their sizes are within 2^alike_exponents.
inline constexpr std::int32_t alike_exponents = 8;

// Keys of the largest and of the smallest row's size.
template <class Real>
LUFACT_LANE bool rows_differ(std::int32_t largest, std::int32_t smallest) {
  return stored_exponent<Real>(largest) - stored_exponent<Real>(smallest) > alike_exponents;
}

// The power of two that brings a row of this size to [1, 2), or as near as normal numbers do.
// `key`: of its size.
template <class Real>
LUFACT_LANE Real row_scale(std::int32_t key) {
  constexpr std::int32_t bias = sizeof(Real) == 8 ? 1023 : 127;
  std::int32_t exponent = stored_exponent<Real>(key);
  exponent = exponent < 1 ? 1 : exponent;
  exponent = exponent > 2 * bias - 1 ? 2 * bias - 1 : exponent;
  return value_of_key<Real>((2 * bias - exponent) << (sizeof(Real) == 8 ? 20 : 23));
}

}  // namespace lufact::gpu::ours
