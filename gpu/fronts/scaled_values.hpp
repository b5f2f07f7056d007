// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "gpu/matrix/device_products.hpp"
#include "gpu/numeric/factor_views.cuh"

namespace lufact::gpu {

// scaled := the values of row_scale * B * col_scale in B's order, rounded to T; raises
// counters->largest_entry. Asynchronous.
template <class T>
void scale_values(DeviceSession& session, const DevicePermutedMatrix& matrix, T* scaled,
                  NumericCounters* counters);

}  // namespace lufact::gpu
