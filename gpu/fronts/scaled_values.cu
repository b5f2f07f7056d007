// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/fronts/scaled_values.hpp"
#include "gpu/numeric/magnitude.cuh"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr int lanes_per_row = 8;  // rows of sparse matrices are short

template <class T>
__global__ void scale_kernel(PatternRef rows, const double* values, const double* row_scale,
                             const double* col_scale, T* scaled, NumericCounters* counters) {
  const Offset thread = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  const Offset row = thread / lanes_per_row;
  unsigned long long largest = 0;
  if (row < rows.n) {
    const double scale = row_scale[row];
    const Offset end = rows.row_ptr[row + 1];
    for (Offset p = rows.row_ptr[row] + thread % lanes_per_row; p < end; p += lanes_per_row) {
      const T value = static_cast<T>(scale * values[p] * col_scale[rows.col_idx[p]]);
      scaled[p] = value;
      const auto bits = magnitude_bits(static_cast<double>(value));
      largest = largest < bits ? bits : largest;
    }
  }
  largest = warp_largest(largest);
  if (threadIdx.x % warp_size == 0) raise_to(&counters->largest_entry, largest);
}

}  // namespace

template <class T>
void scale_values(DeviceSession& session, const DevicePermutedMatrix& matrix, T* scaled,
                  NumericCounters* counters) {
  launch(session, {ceil_div(Offset{matrix.n} * lanes_per_row, threads), threads}, scale_kernel<T>,
         matrix.pattern(), matrix.values.data(), matrix.row_scale.data(), matrix.col_scale.data(),
         scaled, counters);
}

template void scale_values(DeviceSession&, const DevicePermutedMatrix&, float*, NumericCounters*);
template void scale_values(DeviceSession&, const DevicePermutedMatrix&, double*, NumericCounters*);

}  // namespace lufact::gpu
