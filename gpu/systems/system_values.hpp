// SPDX-License-Identifier: BSD-3-Clause
// Values and vectors of several systems on the device, each system's behind those of the one
// before. Every sum is taken in an order that depends on the pattern alone. Asynchronous.
#pragma once
#include "gpu/matrix/device_products.hpp"
#include "gpu/solve/backward_error.cuh"

namespace lufact::gpu {

// values of B := those of A (`given`) at their sources, 0 for an added diagonal entry; and
// scaled_norm[k] := magnitude_bits of the largest row sum of |row_scale B col_scale| of system k,
// which must be zero before. Row sums that are NaN do not count.
void place_system_values(DeviceSession& session, const DevicePermutedMatrix& matrix,
                         const EntrySources& source, Index systems, const double* given,
                         Offset given_entries, double* values, unsigned long long* scaled_norm);

// r = b - B x for each system, and its backward error ||r|| / (matrix_norm ||x|| + ||b||), where
// 0 / 0 is 0 and what is not finite is infinity. `norms` is zero between launches.
struct SystemVectors {
  const double *values, *b, *x;
  double* r;
  const double* matrix_norm;
  ColumnNorms* norms;
  double* error;
};
void system_residuals(DeviceSession& session, const DevicePermutedMatrix& matrix, Index systems,
                      const SystemVectors& vectors);

// Systems k with of[k] != 0: before := x, x += step; or x := before.
void add_steps(DeviceSession& session, Index systems, Index n, const unsigned char* of,
               const double* step, double* x, double* before);
void take_steps_back(DeviceSession& session, Index systems, Index n, const unsigned char* of,
                     const double* before, double* x);

}  // namespace lufact::gpu
