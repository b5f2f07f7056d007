// SPDX-License-Identifier: BSD-3-Clause
// A column of L as a dense work column of n values, so that the rows of its sub-columns find it
// without a search (GLU 3.0). Between columns a work column is all +0.
#pragma once
#include "gpu/numeric/updates.cuh"

namespace lufact::gpu {

// Work columns one after another; 64-bit, since their product with n exceeds 32 bits.
template <class T>
struct WorkColumns {
  T* values = nullptr;
  Offset n = 0;

  __device__ T* column(Offset slot) const { return values + slot * n; }
};

// In a work column an entry of L that is zero is -0; +0 means that L has no entry there.
template <class T>
__device__ bool is_entry(T value) {
  return value != T(0) || signbit(value);
}

// Called by the threads lane = 0 .. lanes-1 that wrote the values of L(:, j) in finish_column.
template <class T>
__device__ void scatter_column(const FactorsRef<T>& factors, const ColumnWork& shape, T* column,
                               int lane, int lanes) {
  const Index* rows = factors.pattern.row_idx + shape.l_begin;
  for (Offset t = lane; t < shape.l_count; t += lanes) {
    const T value = factors.values[shape.l_begin + t];
    column[rows[t]] = value == T(0) ? -T(0) : value;
  }
}

// Re-zeroes what scatter_column wrote.
template <class T>
__device__ void clear_column(const FactorPattern& pattern, const ColumnWork& shape, T* column,
                             int lane, int lanes) {
  const Index* rows = pattern.row_idx + shape.l_begin;
  for (Offset t = lane; t < shape.l_count; t += lanes) column[rows[t]] = T(0);
}

// Counts entries of L that sub-columns should have received, less those that they did: zero in a
// pattern closed under elimination. Each thread has a count of its own; the sum matters.
class MissedUpdates {
 public:
  // By all threads of the block; `total` is in shared memory.
  __device__ void report(unsigned long long& total, NumericCounters* counters) const {
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    if (missed_ != 0) atomicAdd(&total, static_cast<unsigned long long>(missed_));
    __syncthreads();
    if (threadIdx.x == 0 && total != 0) atomicAdd(&counters->misplaced, total);
  }
  __device__ void expect(Offset entries) { missed_ += entries; }
  __device__ void found() { --missed_; }

 private:
  Offset missed_ = 0;
};

// As(i, k) -= As(i, j) As(j, k) for the rows i > j of sub-column k, the `sub`-th entry by rows of
// the pattern; `column` holds L(:, j) of `l_count` entries. Columns of a level may update the same
// entry, hence the atomics.
template <class T>
__device__ void update_sub_column(const FactorsRef<T>& factors, Offset sub, Offset l_count,
                                  const T* column, int lane, int lanes, MissedUpdates& missed) {
  const FactorPattern& pattern = factors.pattern;
  const Offset u_position = pattern.position[sub];
  const T u = factors.values[u_position];
  if (u == T(0)) return;
  if (lane == 0) missed.expect(l_count);
  const Offset end = pattern.col_ptr[pattern.col_idx[sub] + 1];
  for (Offset p = u_position + 1 + lane; p < end; p += lanes) {
    const T l = column[pattern.row_idx[p]];
    if (!is_entry(l)) continue;
    missed.found();
    atomicAdd(factors.values + p, -(l * u));
  }
}

}  // namespace lufact::gpu
