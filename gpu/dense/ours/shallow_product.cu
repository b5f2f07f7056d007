// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/shallow_product.hpp"

namespace lufact::gpu::blocked {
namespace {

constexpr Index least_rows = 1 << 16, most_depth = 32;
constexpr int block_threads = 256, block_columns = 32, columns_at_once = 4;

// A row a thread, whose part of the left factor stays in registers; all threads read the same entry
// of the right one. kDepth: the depth or more.
template <class T, int kDepth>
__global__ void __launch_bounds__(block_threads)
    shallow_product_kernel(const __grid_constant__ Product<T> product, Index row_blocks) {
  __shared__ alignas(16) T right[block_columns][kDepth];
  const auto block = static_cast<Index>(blockIdx.x);
  const Index first = block / row_blocks * block_columns;
  const int columns = min(product.columns - first, Index{block_columns});
  for (int e = static_cast<int>(threadIdx.x); e < block_columns * kDepth; e += block_threads) {
    const int c = e / kDepth, k = e % kDepth;
    const bool inside = c < columns && k < product.depth;
    right[c][k] = inside ? product.right[(first + c) * product.ld_right + k] : T(0);
  }
  __syncthreads();
  const Index row = block % row_blocks * block_threads + static_cast<Index>(threadIdx.x);
  if (row >= product.rows) return;
  T left[kDepth];
#pragma unroll
  for (int k = 0; k < kDepth; ++k) {
    left[k] = k < product.depth ? product.left[k * product.ld_left + row] : T(0);
  }
  T* const target = product.target + first * product.ld_target + row;
#pragma unroll 2
  for (int begin = 0; begin < columns; begin += columns_at_once) {
    T sum[columns_at_once];
#pragma unroll
    for (int c = 0; c < columns_at_once; ++c) {
      if (begin + c < columns) sum[c] = target[(begin + c) * product.ld_target];
    }
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
#pragma unroll
      for (int c = 0; c < columns_at_once; ++c) {
        sum[c] = fma(-left[k], right[begin + c][k], sum[c]);
      }
    }
#pragma unroll
    for (int c = 0; c < columns_at_once; ++c) {
      if (begin + c < columns) target[(begin + c) * product.ld_target] = sum[c];
    }
  }
}

template <class T>
auto kernel_of(Index depth) {
  if (depth <= 4) return shallow_product_kernel<T, 4>;
  if (depth <= 8) return shallow_product_kernel<T, 8>;
  return depth <= 16 ? shallow_product_kernel<T, 16> : shallow_product_kernel<T, most_depth>;
}

}  // namespace

template <class T>
bool is_tall_and_shallow(const Product<T>& product) {
  return product.rows >= least_rows && product.depth <= most_depth;
}

template <class T>
void subtract_shallow_product(cudaStream_t stream, const Product<T>& product) {
  const Offset row_blocks = ceil_div(product.rows, block_threads);
  const Offset column_blocks = ceil_div(product.columns, block_columns);
  launch_on(stream, {row_blocks * column_blocks, block_threads}, kernel_of<T>(product.depth),
            product, static_cast<Index>(row_blocks));
}

template bool is_tall_and_shallow(const Product<float>&);
template bool is_tall_and_shallow(const Product<double>&);
template void subtract_shallow_product(cudaStream_t, const Product<float>&);
template void subtract_shallow_product(cudaStream_t, const Product<double>&);

}  // namespace lufact::gpu::blocked
