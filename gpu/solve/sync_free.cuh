// SPDX-License-Identifier: BSD-3-Clause
// Synchronisation-free sweeps over the rows of a triangle: a value itself tells whether it is
// known, so that waiting for a value and reading it are the same load.
#pragma once
#include <cuda/atomic>

#include "gpu/runtime/launch.cuh"
#include "gpu/solve/triangular_solve.hpp"

namespace lufact::gpu {

// Fills arrays of unknown values, byte by byte. No result has these bits: as a double they are a
// NaN that arithmetic does not make, and levels are smaller.
inline constexpr int unknown_byte = 0xFF;

__device__ inline bool is_known(double value) {
  return __double_as_longlong(value) != -1LL;
}
__device__ inline bool is_known(unsigned value) {
  return value != ~0U;
}

// Relaxed: nothing but the value itself passes from the writer to the reader.
template <class Value>
__device__ Value peek(const Value* place) {
  return cuda::atomic_ref<Value, cuda::thread_scope_device>(*const_cast<Value*>(place))
      .load(cuda::memory_order_relaxed);
}
__device__ inline void make_known(double* place, double value) {
  if (!is_known(value)) value = __longlong_as_double(0x7FF8000000000000LL);
  cuda::atomic_ref<double, cuda::thread_scope_device>(*place).store(value,
                                                                    cuda::memory_order_relaxed);
}
__device__ inline void make_known(unsigned* place, unsigned value) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*place).store(value,
                                                                      cuda::memory_order_relaxed);
}

template <class Value>
__device__ Value wait_for(const Value* place, Value seen) {
  while (!is_known(seen)) seen = peek(place);
  return seen;
}

// Rows in the order in which they depend on each other, ascending for L, descending for U, in
// groups of as many as a block has warps. Groups are started in this order, so that all rows that a
// row waits for have been started before: no deadlock is possible, however few blocks are resident.
template <Triangle triangle>
struct RowGroup {
  Index first, end;

  __device__ RowGroup(unsigned ticket, Index n) {
    const Index before = static_cast<Index>(ticket) * warp_size;
    const Index after = n - before > warp_size ? before + warp_size : n;
    first = triangle == Triangle::lower ? before : n - after;
    end = triangle == Triangle::lower ? after : n - before;
  }
};

// The next group for this block; every thread gets it. A barrier.
__device__ inline unsigned draw_group(unsigned* ticket) {
  __shared__ unsigned drawn;
  __syncthreads();
  if (threadIdx.x == 0) drawn = atomicAdd(ticket, 1U);
  __syncthreads();
  return drawn;
}

}  // namespace lufact::gpu
