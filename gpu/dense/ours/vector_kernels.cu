// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/components/magnitude.cuh"
#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/vector_kernels.hpp"

namespace lufact::gpu::blocked {
namespace {

constexpr int threads = 256, many_threads = 1024;
constexpr int rows_at_once = warp_size, parts = threads / rows_at_once;  // of measure_rows
constexpr Offset most_blocks = 65536;

__device__ Offset first_entry() {
  return static_cast<Offset>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ Offset all_threads() {
  return static_cast<Offset>(gridDim.x) * blockDim.x;
}
LaunchShape for_entries(Offset count) {
  return {std::min(most_blocks, ceil_div(count, threads)), threads};
}

__device__ double magnitude_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

// A row a lane, every eighth column a warp.
__global__ void __launch_bounds__(threads)
    measure_rows_kernel(const double* a, Offset ld, Index n, double* sums, double* largest) {
  __shared__ double sum_of[parts][rows_at_once];
  __shared__ unsigned long long largest_of[parts][rows_at_once];
  const int lane = static_cast<int>(threadIdx.x % warp_size);
  const int part = static_cast<int>(threadIdx.x / warp_size);
  const Index row = static_cast<Index>(blockIdx.x) * rows_at_once + lane;
  double sum = 0;
  unsigned long long most = 0;
  if (row < n) {
    for (Index j = part; j < n; j += parts) {
      const double value = a[j * ld + row];
      sum += fabs(value);
      most = max(most, magnitude_bits(value));
    }
  }
  sum_of[part][lane] = sum;
  largest_of[part][lane] = most;
  __syncthreads();
  if (part != 0 || row >= n) return;
  for (int other = 1; other < parts; ++other) {
    sum += sum_of[other][lane];
    most = max(most, largest_of[other][lane]);
  }
  sums[row] = sum;
  largest[row] = magnitude_of(most);
}

// By all threads of a block of many_threads; the result is the first thread's.
__device__ unsigned long long largest_of_block(unsigned long long bits) {
  __shared__ unsigned long long of_warp[many_threads / warp_size];
  bits = warp_largest(bits);
  if (threadIdx.x % warp_size == 0) of_warp[threadIdx.x / warp_size] = bits;
  __syncthreads();
  return threadIdx.x < warp_size ? warp_largest(of_warp[threadIdx.x]) : 0;
}

// A column a block, in this kernel and in the next.
__global__ void __launch_bounds__(many_threads)
    largest_kernel(const double* x, Index n, double* largest) {
  const double* const column = x + static_cast<Offset>(blockIdx.x) * n;
  unsigned long long most = 0;
  for (Index i = static_cast<Index>(threadIdx.x); i < n; i += many_threads) {
    most = max(most, magnitude_bits(column[i]));
  }
  most = largest_of_block(most);
  if (threadIdx.x == 0) largest[blockIdx.x] = magnitude_of(most);
}

__global__ void __launch_bounds__(many_threads)
    scale_residuals_kernel(const __grid_constant__ RefinementStep step) {
  __shared__ double size;
  const auto k = static_cast<Offset>(blockIdx.x);
  const double* const residual = step.residual + Offset{step.list[k]} * step.n;
  unsigned long long most = 0;
  for (Index i = static_cast<Index>(threadIdx.x); i < step.n; i += many_threads) {
    most = max(most, magnitude_bits(residual[i]));
  }
  most = largest_of_block(most);
  if (threadIdx.x == 0) {
    const double found = magnitude_of(most);
    size = found > 0 && isfinite(found) ? found : 1;
    step.size[k] = size;
  }
  __syncthreads();
  for (Index i = static_cast<Index>(threadIdx.x); i < step.n; i += many_threads) {
    step.correction[k * step.n + i] = static_cast<float>(residual[i] / size);
  }
}

__global__ void __launch_bounds__(threads)
    add_corrections_kernel(const __grid_constant__ RefinementStep step, double factor) {
  const Offset size = Offset{step.n} * step.columns;
  for (Offset e = first_entry(); e < size; e += all_threads()) {
    const Offset k = e / step.n;
    const Offset from = Offset{step.list[k]} * step.n + e % step.n;
    step.candidate[e] = step.x[from] + double{step.correction[e]} * (factor * step.size[k]);
    step.left[e] = step.b[from];
  }
}

// A column a block.
template <class From, class To, class Body>
__device__ void convert_column(const From* from, Offset ld_from, To* to, Offset ld_to, Index n,
                               const Body& body) {
  const auto column = static_cast<Offset>(blockIdx.x);
  for (Index i = static_cast<Index>(threadIdx.x); i < n; i += threads) {
    to[column * ld_to + i] = body(from[column * ld_from + i]);
  }
}

__global__ void __launch_bounds__(threads)
    round_kernel(const double* from, Offset ld_from, double factor, float* to, Offset ld_to,
                 Index n) {
  convert_column(from, ld_from, to, ld_to, n,
                 [&](double value) { return static_cast<float>(value * factor); });
}

__global__ void __launch_bounds__(threads)
    widen_kernel(const float* from, Offset ld_from, double* to, Offset ld_to, Index n,
                 int* nonfinite) {
  convert_column(from, ld_from, to, ld_to, n, [&](float value) {
    if (!isfinite(value)) *nonfinite = 1;
    return double{value};
  });
}

// A vector a block; sums of threads, then of warps, in the order of the entries.
__global__ void __launch_bounds__(many_threads)
    multiply_kernel(const double* vectors, Index n, const double* x, double* products) {
  __shared__ double of_warp[many_threads / warp_size];
  const double* const vector = vectors + static_cast<Offset>(blockIdx.x) * n;
  double sum = 0;
  for (Index i = static_cast<Index>(threadIdx.x); i < n; i += many_threads) {
    sum = fma(vector[i], x[i], sum);
  }
  for (int distance = warp_size / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffU, sum, distance);
  }
  if (threadIdx.x % warp_size == 0) of_warp[threadIdx.x / warp_size] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  sum = 0;
  for (const double part : of_warp) sum += part;
  products[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(threads)
    subtract_kernel(const double* vectors, Index n, int count, const double* factors, double* x) {
  for (Offset i = first_entry(); i < n; i += all_threads()) {
    double value = x[i];
    for (int j = 0; j < count; ++j) value = fma(-factors[j], vectors[Offset{j} * n + i], value);
    x[i] = value;
  }
}

__global__ void __launch_bounds__(threads)
    scale_kernel(const double* from, double factor, Index n, double* to) {
  for (Offset i = first_entry(); i < n; i += all_threads()) to[i] = factor * from[i];
}

}  // namespace

void measure_rows(cudaStream_t stream, const double* a, Offset ld, Index n, double* sums,
                  double* largest) {
  launch_on(stream, {ceil_div(n, rows_at_once), threads}, measure_rows_kernel, a, ld, n, sums,
            largest);
}
void largest_magnitudes(cudaStream_t stream, const double* x, Index n, Index columns,
                        double* largest) {
  launch_on(stream, {columns, many_threads}, largest_kernel, x, n, largest);
}
void round_matrix(cudaStream_t stream, const double* from, Offset ld_from, double factor, float* to,
                  Offset ld_to, Index n) {
  launch_on(stream, {n, threads}, round_kernel, from, ld_from, factor, to, ld_to, n);
}
void widen_matrix(cudaStream_t stream, const float* from, Offset ld_from, double* to, Offset ld_to,
                  Index n, int* nonfinite) {
  LUFACT_CUDA(cudaMemsetAsync(nonfinite, 0, sizeof(int), stream));
  launch_on(stream, {n, threads}, widen_kernel, from, ld_from, to, ld_to, n, nonfinite);
}
void scale_residuals(cudaStream_t stream, const RefinementStep& step) {
  launch_on(stream, {step.columns, many_threads}, scale_residuals_kernel, step);
}
void add_corrections(cudaStream_t stream, const RefinementStep& step, double factor) {
  launch_on(stream, for_entries(Offset{step.n} * step.columns), add_corrections_kernel, step,
            factor);
}
void multiply_vectors(cudaStream_t stream, const double* vectors, Index n, int count,
                      const double* x, double* products) {
  launch_on(stream, {count, many_threads}, multiply_kernel, vectors, n, x, products);
}
void subtract_vectors(cudaStream_t stream, const double* vectors, Index n, int count,
                      const double* factors, double* x) {
  launch_on(stream, for_entries(n), subtract_kernel, vectors, n, count, factors, x);
}
void scale_vector(cudaStream_t stream, const double* from, double factor, Index n, double* to) {
  launch_on(stream, for_entries(n), scale_kernel, from, factor, n, to);
}

}  // namespace lufact::gpu::blocked
