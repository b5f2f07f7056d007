// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/magnitude.cuh"
#include "gpu/numeric/column_search.cuh"
#include "gpu/numeric/values.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;

struct ScaledMatrix {
  PatternRef rows;
  const double* values;
  const double* row_scale;
  const double* col_scale;
};

// Writes one entry of B to its place and returns the bits of its magnitude.
template <class T>
__device__ unsigned long long place_entry(const ScaledMatrix& matrix, const FactorsRef<T>& factors,
                                          Index row, Offset p, NumericCounters* counters) {
  const FactorPattern& pattern = factors.pattern;
  const Index column = matrix.rows.col_idx[p];
  const double value = matrix.row_scale[row] * matrix.values[p] * matrix.col_scale[column];
  const Offset place =
      find_row(pattern.row_idx, pattern.col_ptr[column], pattern.col_ptr[column + 1], row);
  if (place >= 0) {
    factors.values[place] = static_cast<T>(value);
  } else {
    atomicAdd(&counters->misplaced, 1ULL);
  }
  return magnitude_bits(static_cast<double>(static_cast<T>(value)));
}

// One warp per row of B.
template <class T>
__global__ void place_kernel(ScaledMatrix matrix, FactorsRef<T> factors,
                             NumericCounters* counters) {
  const Offset thread = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  const Offset row = thread / warp_size;
  if (row >= matrix.rows.n) return;
  unsigned long long largest = 0;
  const Offset end = matrix.rows.row_ptr[row + 1];
  for (Offset p = matrix.rows.row_ptr[row] + thread % warp_size; p < end; p += warp_size) {
    const auto bits = place_entry(matrix, factors, static_cast<Index>(row), p, counters);
    largest = largest < bits ? bits : largest;
  }
  largest = warp_largest(largest);
  if (thread % warp_size == 0) raise_to(&counters->largest_entry, largest);
}

// One thread per entry by rows.
template <class T>
__global__ void gather_kernel(FactorsRef<T> factors, Offset nnz_lu, T* by_row,
                              NumericCounters* counters) {
  const Offset p = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  unsigned long long bits = 0;
  if (p < nnz_lu) {
    const T value = factors.values[factors.pattern.position[p]];
    by_row[p] = value;
    bits = magnitude_bits(static_cast<double>(value));
  }
  bits = warp_largest(bits);
  if (threadIdx.x % warp_size == 0) raise_to(&counters->largest_factor, bits);
}

}  // namespace

template <class T>
void place_values(DeviceSession& session, const DevicePermutedMatrix& matrix,
                  const FactorsRef<T>& factors, Offset nnz_lu, NumericCounters* counters) {
  if (nnz_lu == 0) return;
  LUFACT_CUDA(
      cudaMemsetAsync(factors.values, 0, checked_bytes(nnz_lu, sizeof(T)), session.stream()));
  const ScaledMatrix scaled{matrix.pattern(), matrix.values.data(), matrix.row_scale.data(),
                            matrix.col_scale.data()};
  launch(session, {ceil_div(static_cast<Offset>(matrix.n) * warp_size, threads), threads},
         place_kernel<T>, scaled, factors, counters);
}

template <class T>
void gather_rows(DeviceSession& session, const FactorsRef<T>& factors, Offset nnz_lu, T* by_row,
                 NumericCounters* counters) {
  launch(session, {ceil_div(nnz_lu, threads), threads}, gather_kernel<T>, factors, nnz_lu, by_row,
         counters);
}

template void place_values(DeviceSession&, const DevicePermutedMatrix&, const FactorsRef<float>&,
                           Offset, NumericCounters*);
template void place_values(DeviceSession&, const DevicePermutedMatrix&, const FactorsRef<double>&,
                           Offset, NumericCounters*);
template void gather_rows(DeviceSession&, const FactorsRef<float>&, Offset, float*,
                          NumericCounters*);
template void gather_rows(DeviceSession&, const FactorsRef<double>&, Offset, double*,
                          NumericCounters*);

}  // namespace lufact::gpu
