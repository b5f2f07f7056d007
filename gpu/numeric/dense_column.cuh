// SPDX-License-Identifier: BSD-3-Clause
// A column of L as a dense work column of n values, so that the rows of its sub-columns find it
// without a search (GLU 3.0). Between columns a work column is all +0.
#pragma once
#include "gpu/components/thread_group.cuh"
#include "gpu/numeric/glu_modes.hpp"
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
  // In shared memory: the sums of the warps of a block.
  struct Storage {
    Offset of_warp[most_block_warps];
  };
  // By all threads of the block, once. Warps add up by shuffles: an atomic of 64 bits in shared
  // memory is a loop of exchanges, in which the threads of a block of 1024 wait for each other
  // longer than most levels take.
  __device__ void report(Storage& storage, NumericCounters* counters) const {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const Offset of_warp = warp_sum(missed_);
    if (lane == 0) storage.of_warp[threadIdx.x / warp_size] = of_warp;
    __syncthreads();
    if (threadIdx.x >= warp_size) return;
    const int warps = static_cast<int>(blockDim.x) / warp_size;
    const Offset total = warp_sum(lane < warps ? storage.of_warp[lane] : 0);
    if (lane == 0 && total != 0) {
      atomicAdd(&counters->misplaced, static_cast<unsigned long long>(total));
    }
  }
  __device__ void expect(Offset entries) { missed_ += entries; }
  __device__ void found() { --missed_; }

 private:
  static __device__ Offset warp_sum(Offset value) {
    for (int distance = warp_size / 2; distance > 0; distance /= 2) {
      value += __shfl_xor_sync(full_warp, value, distance);
    }
    return value;
  }

  Offset missed_ = 0;
};

// As(i, k) -= As(i, j) As(j, k) for the rows i > j of sub-column k, the `sub`-th entry by rows of
// the pattern; `column` holds L(:, j) of `l_count` entries. Columns of a level may update the same
// entry, hence the atomics. Each lane reads several entries before it updates the first: a read
// behind an atomic would wait for it, since the compiler cannot tell their places apart.
template <class T>
__device__ void update_sub_column(const FactorsRef<T>& factors, Offset sub, Offset l_count,
                                  const T* column, int lane, int lanes, MissedUpdates& missed) {
  constexpr int at_once = 4;
  const FactorPattern& pattern = factors.pattern;
  const Offset u_position = pattern.position[sub];
  const Offset end = pattern.col_ptr[pattern.col_idx[sub] + 1];
  const T u = factors.values[u_position];
  if (u == T(0)) return;
  if (lane == 0) missed.expect(l_count);
  for (Offset p = u_position + 1 + lane; p < end; p += Offset{at_once} * lanes) {
    T l[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const Offset at = p + Offset{k} * lanes;
      l[k] = at < end ? column[pattern.row_idx[at]] : T(0);
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      if (!is_entry(l[k])) continue;
      missed.found();
      atomicAdd(factors.values + p + Offset{k} * lanes, -(l[k] * u));
    }
  }
}

}  // namespace lufact::gpu
