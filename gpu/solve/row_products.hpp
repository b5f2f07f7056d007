// SPDX-License-Identifier: BSD-3-Clause
// Products of the unscaled matrix with blocks of vectors, by rows.
#pragma once
#include "gpu/matrix/device_products.hpp"

namespace lufact::gpu {

// y = B x, or y = b - B x where `b` is not null, for vectors of n doubles, one after another. `y`
// may be `b`. The order of each sum depends on the matrix alone.
void row_products(DeviceSession& session, const DevicePermutedMatrix& matrix, const double* x,
                  const double* b, double* y, Index columns);

}  // namespace lufact::gpu
