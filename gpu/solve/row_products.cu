// SPDX-License-Identifier: BSD-3-Clause
#include <cub/block/block_reduce.cuh>

#include "gpu/runtime/launch.cuh"
#include "gpu/solve/row_products.hpp"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

// The sum over a group of `Lanes` neighbouring threads, in a fixed order; the whole warp calls it.
template <int Lanes>
__device__ double group_sum(double value) {
  for (int offset = Lanes / 2; offset > 0; offset /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, offset);
  }
  return value;
}

using BlockReduce = cub::BlockReduce<double, threads>;

// Entries from which on a row is summed by a whole block.
template <int Lanes>
constexpr Offset long_row = 32 * Lanes;

struct RowProduct {
  PatternRef matrix;
  const double *values, *x, *b;
  double* y;
  Index columns;

  // This thread's share of the row times vector c, of `step` threads from the row's `first` entry.
  __device__ double part(Offset first, Offset end, int step, Offset shift) const {
    double sum = 0;
#pragma unroll 4
    for (Offset p = first; p < end; p += step) sum += values[p] * x[shift + matrix.col_idx[p]];
    return sum;
  }
  __device__ void store(Offset place, double sum) const {
    y[place] = b == nullptr ? sum : b[place] - sum;
  }

  // By all threads of the block.
  __device__ void long_row_product(Offset row) const {
    __shared__ typename BlockReduce::TempStorage storage;
    for (Index c = 0; c < columns; ++c) {
      const Offset shift = c * static_cast<Offset>(matrix.n);
      const double mine =
          part(matrix.row_ptr[row] + threadIdx.x, matrix.row_ptr[row + 1], threads, shift);
      const double sum = BlockReduce(storage).Sum(mine);
      if (threadIdx.x == 0) store(shift + row, sum);
      __syncthreads();
    }
  }
};

// `Lanes` threads per row, for all vectors in turn; then all threads of the block for each of its
// long rows: a few lanes would take milliseconds for the row of a supply net in a circuit.
template <int Lanes>
__global__ void __launch_bounds__(threads) product_kernel(RowProduct product) {
  __shared__ Offset row_left[threads / Lanes];
  __shared__ int rows_left;
  if (threadIdx.x == 0) rows_left = 0;
  __syncthreads();
  const PatternRef& matrix = product.matrix;
  const Offset row = (blockIdx.x * static_cast<Offset>(threads) + threadIdx.x) / Lanes;
  const bool real = row < matrix.n;
  const Offset begin = real ? matrix.row_ptr[row] : 0, end = real ? matrix.row_ptr[row + 1] : 0;
  const bool left = end - begin > long_row<Lanes>, first = threadIdx.x % Lanes == 0;
  if (left && first) row_left[atomicAdd(&rows_left, 1)] = row;
  for (Index c = 0; c < product.columns; ++c) {
    const Offset shift = c * static_cast<Offset>(matrix.n);
    const double mine = left ? 0.0 : product.part(begin + threadIdx.x % Lanes, end, Lanes, shift);
    const double sum = group_sum<Lanes>(mine);
    if (real && !left && first) product.store(shift + row, sum);
  }
  __syncthreads();
  for (int r = 0; r < rows_left; ++r) product.long_row_product(row_left[r]);
}

template <int Lanes>
void launch_product(DeviceSession& session, const DevicePermutedMatrix& matrix, const double* x,
                    const double* b, double* y, Index columns) {
  launch(session, {ceil_div(static_cast<Offset>(matrix.n) * Lanes, threads), threads},
         product_kernel<Lanes>,
         RowProduct{matrix.pattern(), matrix.values.data(), x, b, y, columns});
}

}  // namespace

void row_products(DeviceSession& session, const DevicePermutedMatrix& matrix, const double* x,
                  const double* b, double* y, Index columns) {
  const Offset n = matrix.n;
  if (matrix.nnz <= 6 * n) {
    launch_product<4>(session, matrix, x, b, y, columns);
  } else if (matrix.nnz <= 24 * n) {
    launch_product<8>(session, matrix, x, b, y, columns);
  } else {
    launch_product<warp_size>(session, matrix, x, b, y, columns);
  }
}

}  // namespace lufact::gpu
