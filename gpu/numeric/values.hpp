// SPDX-License-Identifier: BSD-3-Clause
// Placing values in columns before the elimination, and copying them to rows after it.
#pragma once
#include "gpu/matrix/device_products.hpp"
#include "gpu/numeric/factor_views.cuh"

namespace lufact::gpu {

// Zeroes the factors, then places row_scale * B * col_scale (computed in double, rounded once).
// Raises counters->largest_entry; an entry that has no place counts as misplaced.
template <class T>
void place_values(DeviceSession& session, const DevicePermutedMatrix& matrix,
                  const FactorsRef<T>& factors, Offset nnz_lu, NumericCounters* counters);

// by_row[p] = the value of entry p by rows; raises counters->largest_factor.
template <class T>
void gather_rows(DeviceSession& session, const FactorsRef<T>& factors, Offset nnz_lu, T* by_row,
                 NumericCounters* counters);

}  // namespace lufact::gpu
