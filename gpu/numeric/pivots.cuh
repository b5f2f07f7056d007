// SPDX-License-Identifier: BSD-3-Clause
// The pivot of a column: static pivoting, then the division of the column's L part (E2E Algorithm
// 2, lines 2-6).
#pragma once
#include <cuda/atomic>

#include "gpu/components/magnitude.cuh"
#include "gpu/numeric/factor_views.cuh"

namespace lufact::gpu {

// A pivot below `threshold` becomes +-threshold with the sign of the pivot, + for either zero (Li
// and Demmel, SuperLU_DIST). Applying it twice changes nothing; a NaN stays.
template <class T>
struct PivotRule {
  T threshold = 0;

  __device__ T apply(T pivot) const {
    if (!(fabs(pivot) < threshold)) return pivot;
    return pivot < T(0) ? -threshold : threshold;
  }
};

template <class T>
__device__ void account_pivot(T before, T after, NumericCounters* counters) {
  if (!isfinite(after) || after == T(0)) atomicAdd(&counters->unusable_pivots, 1ULL);
  if (isnan(before) || before == after) return;
  atomicAdd(&counters->perturbed_pivots, 1ULL);
  raise_to(&counters->largest_perturbation,
           magnitude_bits(static_cast<double>(after) - static_cast<double>(before)));
}

// Called by the threads lane = 0 .. lanes-1 of one column, in any number of warps or blocks. Lane 0
// replaces the pivot while others may still read it: both are relaxed atomics, and every thread
// gets the same divisor because the rule is idempotent.
template <class T>
__device__ void finish_column(const FactorsRef<T>& factors, const PivotRule<T>& rule, Index column,
                              int lane, int lanes, NumericCounters* counters) {
  const FactorPattern& pattern = factors.pattern;
  const Offset diagonal = pattern.position[pattern.diagonal[column]];
  cuda::atomic_ref<T, cuda::thread_scope_device> pivot(factors.values[diagonal]);
  const T before = pivot.load(cuda::memory_order_relaxed);
  const T after = rule.apply(before);
  if (lane == 0) {
    account_pivot(before, after, counters);
    pivot.store(after, cuda::memory_order_relaxed);
  }
  const Offset end = pattern.col_ptr[column + 1];
  for (Offset p = diagonal + 1 + lane; p < end; p += lanes) factors.values[p] /= after;
}

}  // namespace lufact::gpu
