// SPDX-License-Identifier: BSD-3-Clause
// The backward error ||r|| / (||B|| ||x|| + ||b||) in the kernel that makes r. Every block keeps
// the norms of its rows in shared memory and raises the norms of the whole vectors by them; the
// block that is done last computes the error. Maxima do not depend on the order.
#pragma once
#include <cuda/std/limits>

#include "gpu/components/magnitude.cuh"

namespace lufact::gpu {

inline constexpr Index error_columns = 64;  // of one launch, at most

// The largest magnitudes of r, x and b in one column, as magnitude_bits.
struct ColumnNorms {
  static constexpr int count = 3;
  unsigned long long of[count];
};

// In device memory. All zero before a launch and after it.
struct ErrorTally {
  ColumnNorms norms[error_columns];
  unsigned blocks_done;
};

// The error of one column: 0 / 0 is 0, a value that is not finite gives infinity.
__device__ inline double column_error(const ColumnNorms& norms, double matrix_norm) {
  double norm[ColumnNorms::count];
#pragma unroll
  for (int k = 0; k < ColumnNorms::count; ++k) {
    norm[k] = __longlong_as_double(static_cast<long long>(norms.of[k]));
  }
  const auto [r, x, b] = norm;
  const double size = matrix_norm * x + b;
  if (!isfinite(r) || !isfinite(size)) return cuda::std::numeric_limits<double>::infinity();
  return r == 0 ? 0.0 : r / size;
}

// Arguments common to the blocks of a launch.
struct BackwardError {
  ErrorTally* tally;
  double matrix_norm;
  double* result;  // the largest of the columns

  // By all threads of every block; a barrier must follow before anything is raised.
  __device__ static void begin(Index columns) {
    const auto c = static_cast<Index>(threadIdx.x);
    if (c < columns) block_norms()[c] = {};
  }

  // By a whole warp, each thread with the norms of its rows.
  __device__ static void raise(Index column, const ColumnNorms& norms) {
    const auto lane = static_cast<int>(threadIdx.x) % warp_size;
    unsigned long long mine = 0;
#pragma unroll
    for (int k = 0; k < ColumnNorms::count; ++k) {
      const unsigned long long largest = warp_largest(norms.of[k]);
      if (lane == k) mine = largest;
    }
    if (lane < ColumnNorms::count) raise_to(&block_norms()[column].of[lane], mine);
  }

  // By all threads of every block, after a barrier behind the last raise(). All blocks of a short
  // launch come here at the same time, so that reading before the atomic would only add a wait.
  __device__ void finish(Index columns) const {
    const auto c = static_cast<Index>(threadIdx.x) / ColumnNorms::count;
    const auto k = static_cast<int>(threadIdx.x) % ColumnNorms::count;
    if (c < columns) atomicMax(&tally->norms[c].of[k], block_norms()[c].of[k]);
    if (is_last_block()) fold(columns);
  }

  // What the block has raised so far.
  __device__ static ColumnNorms* block_norms() {
    __shared__ ColumnNorms norms[error_columns];
    return norms;
  }

 private:
  // Whether all other blocks have raised the norms. Their values are then visible to this block:
  // barriers, releases and acquisitions are cumulative (PTX ISA, memory consistency model). Only
  // the last block acquires, as that empties the cache of its multiprocessor.
  __device__ bool is_last_block() const {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(tally->blocks_done);
      last = done.fetch_add(1, cuda::memory_order_release) + 1 == gridDim.x;
      if (last) cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    }
    __syncthreads();
    return last;
  }

  __device__ void fold(Index columns) const {
    __shared__ unsigned long long worst;
    if (threadIdx.x == 0) worst = 0;
    __syncthreads();
    const auto c = static_cast<Index>(threadIdx.x);
    if (c < columns) {
      raise_to(&worst, magnitude_bits(column_error(tally->norms[c], matrix_norm)));
      tally->norms[c] = {};
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    tally->blocks_done = 0;
    *result = __longlong_as_double(static_cast<long long>(worst));
  }
};

}  // namespace lufact::gpu
