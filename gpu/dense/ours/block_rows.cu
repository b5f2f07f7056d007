// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "gpu/components/stream_launch.cuh"
#include "gpu/dense/ours/block_rows.hpp"
#include "gpu/dense/ours/row_moves.cuh"

namespace lufact::gpu::blocked {
namespace {

constexpr int chunk = 32;          // pivots that a thread solves with at a time
constexpr int block_columns = 32;  // a lane each
constexpr int rows_threads = 128, rows_warps = rows_threads / warp_size;
constexpr int columns_of_warp = block_columns / rows_warps;
constexpr int triangle_leading = chunk + 2;  // rows stay aligned to two entries

template <class T>
struct alignas(2 * sizeof(T)) TwoOf {
  T first, second;
};

// x := triangle^-1 x in registers; entry (i, k) of the triangle is at [k * triangle_leading + i],
// its diagonal is one where it is unit lower.
template <Triangle kind, class T>
__device__ void substitute(T (&x)[chunk], const T* triangle) {
#pragma unroll
  for (int step = 0; step < chunk; ++step) {
    const int k = kind == Triangle::unit_lower ? step : chunk - 1 - step;
    const T* const column = triangle + k * triangle_leading;
    if constexpr (kind == Triangle::upper) x[k] /= column[k];
#pragma unroll
    for (int i = 0; i < chunk; i += 2) {
      const auto pair = *reinterpret_cast<const TwoOf<T>*>(column + i);
      const bool lower = kind == Triangle::unit_lower;
      if (lower ? i > k : i < k) x[i] = fma(-pair.first, x[k], x[i]);
      if (lower ? i + 1 > k : i + 1 < k) x[i + 1] = fma(-pair.second, x[k], x[i + 1]);
    }
  }
}

template <Triangle kind, class T>
class BlockSolver {
 public:
  __device__ BlockSolver(const BlockRows<T>& rows, T* memory)
      : rows_(rows),
        chunks_((rows.depth + chunk - 1) / chunk),
        leading_(chunks_ * chunk + 1),
        part_(memory),
        x_(memory + chunk * triangle_leading) {
    const Index moved = (rows.moved.end - rows.moved.begin + block_columns - 1) / block_columns;
    const auto block = static_cast<Index>(blockIdx.x);
    solves_ = block >= moved;
    const ColumnRange& range = solves_ ? rows.solved : rows.moved;
    begin_ = range.begin + (solves_ ? block - moved : block) * block_columns;
    count_ = min(range.end - begin_, Index{block_columns});
  }

  __device__ void run() {
    Part part;
    if (solves_) fetch(part);
    if (rows_.origin != nullptr) exchange();
    if (!solves_) return;
    load();
    while (part.step < chunks_) {
      take(part);
      const Part next = after(part);
      if (next.step < chunks_) fetch(next);
      if (part.is_triangle()) {
        solve_chunk(place(part.step));
      } else {
        update_chunk(place(part.other), place(part.step));
      }
      part = next;
    }
    store();
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x % warp_size); }
  __device__ static int warp() { return static_cast<int>(threadIdx.x / warp_size); }
  // The warp's columns of the block.
  __device__ static int first_column() { return warp() * columns_of_warp; }
  __device__ int columns() const { return min(count_ - first_column(), columns_of_warp); }
  __device__ T* column(int c) const { return rows_.x + (begin_ + c) * rows_.ldx + rows_.first; }

  // The lists one after the other, all columns of a warp at a time.
  __device__ void exchange() const {
    for (Index k = 0; k < rows_.pivots; k += rows_.list) {
      const int pivots = min(rows_.pivots - k, rows_.list);
      const Index row = rows_.first + k, own = row + min(lane(), pivots - 1);
      const RowMove move{pivots, rows_.origin[own] - row, rows_.destination[own] - row};
      move_rows<columns_of_warp>(column(first_column()) + k, rows_.ldx, columns(), move);
    }
  }

  // Each warp has its own columns, so that its exchanges need no barrier.
  __device__ void load() {
    for (int c = 0; c < columns_of_warp; ++c) {
      for (int i = lane(); i < chunks_ * chunk; i += warp_size) {
        const bool inside = c < columns() && i < rows_.depth;
        x_[(first_column() + c) * leading_ + i] = inside ? column(first_column() + c)[i] : T(0);
      }
    }
  }
  __device__ void store() {
    __syncthreads();
    for (int c = 0; c < columns(); ++c) {
      for (int i = lane(); i < rows_.depth; i += warp_size) {
        column(first_column() + c)[i] = x_[(first_column() + c) * leading_ + i];
      }
    }
  }

  // Entry (i, k) of the triangle; that of the unit matrix beyond its order.
  __device__ T entry(int i, int k) const {
    if (max(i, k) >= rows_.depth) return i == k ? T(1) : T(0);
    return rows_.triangle[k * rows_.ld + i];
  }

  // Of the triangle 32 x 32 entries: the rows of chunk `other` and the columns of chunk `step`, in
  // the order in which chunks are solved.
  struct Part {
    int step = 0, other = 0;
    __device__ bool is_triangle() const { return other == step; }
  };
  __device__ Part after(const Part& part) const {
    if (part.other + 1 < chunks_) return {part.step, part.other + 1};
    return {part.step + 1, part.step + 1};
  }
  __device__ int place(int number) const {
    return kind == Triangle::unit_lower ? number : chunks_ - 1 - number;
  }

  // Loads a part into registers while the one before it is worked with.
  __device__ void fetch(const Part& part) {
    const int row = place(part.other) * chunk + lane(), column = place(part.step) * chunk + warp();
#pragma unroll
    for (int k = 0; k < chunk / rows_warps; ++k) {
      ahead_[k] = entry(row, column + k * rows_warps);
    }
  }
  // By columns where it is solved with, by rows where it is multiplied with.
  __device__ void take(const Part& part) {
    const int row_step = part.is_triangle() ? 1 : triangle_leading;
    const int column_step = part.is_triangle() ? triangle_leading : 1;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < chunk / rows_warps; ++k) {
      part_[lane() * row_step + (warp() + k * rows_warps) * column_step] = ahead_[k];
    }
    __syncthreads();
  }

  __device__ void solve_chunk(int own) const {
    if (warp() != 0) return;
    T* const solved = x_ + lane() * leading_ + own * chunk;
    T x[chunk];
#pragma unroll
    for (int i = 0; i < chunk; ++i) x[i] = solved[i];
    substitute<kind>(x, part_);
#pragma unroll
    for (int i = 0; i < chunk; ++i) solved[i] = x[i];
  }

  // Subtracts the product with solved rows `own` from rows `other`: a column a lane, the rows of a
  // chunk on the warps.
  __device__ void update_chunk(int other, int own) const {
    const T* const solved = x_ + lane() * leading_ + own * chunk;
    T* const target = x_ + lane() * leading_ + other * chunk;
    T x[chunk];
#pragma unroll
    for (int k = 0; k < chunk; ++k) x[k] = solved[k];
    for (int i = warp(); i < chunk; i += rows_warps) {
      const T* const row = part_ + i * triangle_leading;
      T even = T(0), odd = T(0);
#pragma unroll
      for (int k = 0; k < chunk; k += 2) {
        const auto pair = *reinterpret_cast<const TwoOf<T>*>(row + k);
        even = fma(pair.first, x[k], even);
        odd = fma(pair.second, x[k + 1], odd);
      }
      target[i] -= even + odd;
    }
  }

  const BlockRows<T>& rows_;
  const int chunks_, leading_;
  T* const part_;  // 32 x 32 of the triangle
  T* const x_;     // the columns
  T ahead_[chunk / rows_warps];
  bool solves_;
  Index begin_, count_;
};

template <Triangle kind, class T>
__global__ void __launch_bounds__(rows_threads)
    block_rows_kernel(const __grid_constant__ BlockRows<T> rows) {
  extern __shared__ __align__(16) char memory[];
  BlockSolver<kind, T>(rows, reinterpret_cast<T*>(memory)).run();
}

template <class T>
constexpr std::size_t shared_bytes(Index depth) {
  const auto rows = static_cast<std::size_t>(ceil_div(depth, chunk)) * chunk;
  return (chunk * triangle_leading + block_columns * (rows + 1)) * sizeof(T);
}

}  // namespace

template <class T>
void apply_block(cudaStream_t stream, Triangle triangle, const BlockRows<T>& rows) {
  const auto kernel = triangle == Triangle::unit_lower ? block_rows_kernel<Triangle::unit_lower, T>
                                                       : block_rows_kernel<Triangle::upper, T>;
  const bool moves = rows.origin != nullptr;
  const Offset moved = moves ? ceil_div(rows.moved.end - rows.moved.begin, block_columns) : 0;
  const Offset solved = ceil_div(rows.solved.end - rows.solved.begin, block_columns);
  BlockRows<T> given = rows;
  if (!moves) given.moved = {};
  const std::size_t shared = solved > 0 ? shared_bytes<T>(rows.depth) : 0;
  LUFACT_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes<T>(solve_depth))));
  launch_on(stream, {moved + solved, rows_threads, shared}, kernel, given);
}

template void apply_block(cudaStream_t, Triangle, const BlockRows<float>&);
template void apply_block(cudaStream_t, Triangle, const BlockRows<double>&);

}  // namespace lufact::gpu::blocked
