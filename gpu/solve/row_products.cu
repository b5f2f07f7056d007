// SPDX-License-Identifier: BSD-3-Clause
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

// `Lanes` threads per row, for all vectors in turn.
template <int Lanes>
__global__ void product_kernel(PatternRef matrix, const double* values, const double* x,
                               const double* b, double* y, Index columns) {
  const Offset thread = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  const Offset row = thread / Lanes;
  const bool real = row < matrix.n;
  const Offset begin = real ? matrix.row_ptr[row] + thread % Lanes : 0;
  const Offset end = real ? matrix.row_ptr[row + 1] : 0;
  for (Index c = 0; c < columns; ++c) {
    const Offset shift = c * static_cast<Offset>(matrix.n);
    double sum = 0;
    for (Offset p = begin; p < end; p += Lanes) sum += values[p] * x[shift + matrix.col_idx[p]];
    sum = group_sum<Lanes>(sum);
    if (!real || thread % Lanes != 0) continue;
    y[shift + row] = b == nullptr ? sum : b[shift + row] - sum;
  }
}

template <int Lanes>
void launch_product(DeviceSession& session, const DevicePermutedMatrix& matrix, const double* x,
                    const double* b, double* y, Index columns) {
  launch(session, {ceil_div(static_cast<Offset>(matrix.n) * Lanes, threads), threads},
         product_kernel<Lanes>, matrix.pattern(), matrix.values.data(), x, b, y, columns);
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
