// SPDX-License-Identifier: BSD-3-Clause
// E2E's layout for sorted columns: a thread block for each column.
#pragma once
#include "gpu/numeric/factor_views.cuh"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

// E2E Algorithm 2 for the `width` columns of one level, by at most `blocks` blocks of 32 warps that
// take the columns in turn, a warp per sub-column, Algorithm 6 for every row.
template <class T>
void run_search_level(DeviceSession& session, const FactorsRef<T>& factors, const Index* columns,
                      Offset width, Offset blocks, T smallest_pivot, NumericCounters* counters);

}  // namespace lufact::gpu
