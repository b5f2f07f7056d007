// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/left_rows.hpp"
#include "gpu/dense/ours/row_moves.cuh"

namespace lufact::gpu::blocked {
namespace {

constexpr int compose_threads = 256, column_threads = 1024;

// A block of columns a thread block: where each row comes from. The exchanges are made on an array
// of row numbers, by one warp.
template <class T>
__global__ void __launch_bounds__(compose_threads)
    compose_kernel(const __grid_constant__ LeftRows<T> left) {
  const auto block = static_cast<Index>(blockIdx.x), thread = static_cast<Index>(threadIdx.x);
  Index* const source = left.source + Offset{block} * left.rows;
  const Index end = (block + 1) * left.block;
  for (Index i = end + thread; i < left.rows; i += compose_threads) source[i] = i;
  __syncthreads();
  if (thread >= warp_size) return;
  for (Index k = end; k < left.order; k += left.list) {
    const int pivots = min(left.order - k, left.list);
    const Index own = k + min(thread, pivots - 1);
    move_rows<1>(source + k, 0, 1,
                 RowMove{pivots, left.origin[own] - k, left.destination[own] - k});
  }
}

// Rows begin, begin + column_threads, ... of a column; several loads are on their way at a time.
template <class T, class ValueOf>
__device__ void set_rows(T* column, Index begin, Index end, const ValueOf& value_of) {
  constexpr int at_once = 8;
  for (Index first = begin; first < end; first += at_once * column_threads) {
    T value[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const Index i = first + k * column_threads;
      if (i < end) value[k] = value_of(i);
    }
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const Index i = first + k * column_threads;
      if (i < end) column[i] = value[k];
    }
  }
}

// A column at a time: copied, then taken from the copy.
template <class T>
__global__ void __launch_bounds__(column_threads)
    take_rows_kernel(const __grid_constant__ LeftRows<T> left) {
  const auto thread = static_cast<Index>(threadIdx.x);
  const Index columns = left.blocks * left.block;
  T* const copy = left.column + static_cast<Offset>(blockIdx.x) * left.rows;
  for (auto j = static_cast<Index>(blockIdx.x); j < columns; j += static_cast<Index>(gridDim.x)) {
    const Index block = j / left.block, begin = (block + 1) * left.block + thread;
    const Index* const source = left.source + Offset{block} * left.rows;
    T* const column = left.a + j * left.ld;
    set_rows(copy, begin, left.rows, [=](Index i) { return column[i]; });
    __syncthreads();
    set_rows(column, begin, left.rows, [=](Index i) { return copy[source[i]]; });
    __syncthreads();
  }
}

}  // namespace

template <class T>
void exchange_left_rows(cudaStream_t stream, const LeftRows<T>& left) {
  const Offset columns = Offset{left.blocks} * left.block;
  launch_on(stream, {left.blocks, compose_threads}, compose_kernel<T>, left);
  launch_on(stream, {std::min<Offset>(left.thread_blocks, columns), column_threads},
            take_rows_kernel<T>, left);
}

template void exchange_left_rows(cudaStream_t, const LeftRows<float>&);
template void exchange_left_rows(cudaStream_t, const LeftRows<double>&);

}  // namespace lufact::gpu::blocked
