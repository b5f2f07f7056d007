// SPDX-License-Identifier: BSD-3-Clause
// LU of a tile, and solutions with its factors, by substitution: where the inverses of the factors
// are large, products with them are less accurate. A factor is in shared memory as vectors of 64,
// tile_leading apart: columns of L, rows of U. So X U = E for rows of X and L X = E for its columns
// are the same computation. Of 64 entries of a vector a warp has 16, and all sums and blocks are 8
// deep.
#pragma once
#include "core/fronts/plan/diagonal_tiles.hpp"
#include "gpu/components/thread_group.cuh"
#include "gpu/fronts/numeric/tile_product.cuh"

namespace lufact::gpu {

inline constexpr int warp_entries = tile / tile_warps;

// A zero pivot leaves what it would divide as it is, as in LAPACK.
template <class T>
__device__ T divided(T value, T pivot) {
  return pivot == T(0) ? value : value / pivot;
}

// Subtracts from vectors 8 * step to 8 * step + 7 of `own` the vectors before them times those of
// `other`, by the warp that has the entries.
template <class T>
__device__ void subtract_vectors_before(T* own, const T* other, int step) {
  constexpr int depth = block_order * tile_leading, blocks = warp_entries / block_order;
  const LanePlace lane;
  own += warp_number() * warp_entries;
  T sum[blocks][2] = {};
#pragma unroll 1
  for (int before = 0; before < step; ++before) {
    LeftOperand<T, blocks>(own + before * depth, tile_leading)
        .add_product(sum,
                     RightOperand<T>(other + before * depth + step * block_order, tile_leading));
  }
  T* const to = own + step * depth + lane.column * tile_leading + lane.row;
#pragma unroll
  for (int x = 0; x < blocks; ++x) {
#pragma unroll
    for (int c = 0; c < 2; ++c) to[c * tile_leading + x * block_order] -= sum[x][c];
  }
}

// One entry of each of 8 vectors, in the place of their right-hand sides; `block`: the 8 x 8 of the
// triangle on its diagonal. By one lane.
template <class T>
__device__ void substitute(T* entry, const T* block) {
  T x[block_order];
#pragma unroll
  for (int k = 0; k < block_order; ++k) x[k] = entry[k * tile_leading];
#pragma unroll
  for (int k = 0; k < block_order; ++k) {
    x[k] = divided(x[k], block[k * (tile_leading + 1)]);
    entry[k * tile_leading] = x[k];
#pragma unroll
    for (int j = k + 1; j < block_order; ++j) x[j] = fma(-x[k], block[k * tile_leading + j], x[j]);
  }
}

// X U = E or L X = E for the vectors of E in `own`: the first `depth`, a multiple of 8. `triangle`
// has U, or L with its unit diagonal. No warp needs what another computes.
template <class T>
__device__ __noinline__ void solve_with_triangle(T* own, const T* triangle, int depth) {
  const int lane = lane_number();
#pragma unroll 1
  for (int step = 0; step * block_order < depth; ++step) {
    subtract_vectors_before(own, triangle, step);
    __syncwarp();
    if (lane < warp_entries) {
      substitute(own + step * block_order * tile_leading + warp_number() * warp_entries + lane,
                 triangle + step * block_order * (tile_leading + 1));
    }
    __syncwarp();
  }
}

// LU of an 8 x 8 block, a row a lane, by all lanes of a warp: from `lower`, by columns, to both.
template <class T>
__device__ void factor_block(T* lower, T* upper) {
  const int row = lane_number() % block_order;
  T entry[block_order];
#pragma unroll
  for (int c = 0; c < block_order; ++c) entry[c] = lower[c * tile_leading + row];
#pragma unroll
  for (int k = 0; k < block_order; ++k) {
    const T l = divided(entry[k], __shfl_sync(full_warp, entry[k], k));
    if (row > k) entry[k] = l;
#pragma unroll
    for (int c = k + 1; c < block_order; ++c) {
      const T u = __shfl_sync(full_warp, entry[c], k);
      if (row > k) entry[c] = fma(-l, u, entry[c]);
    }
  }
  __syncwarp();
  if (lane_number() >= block_order) return;
#pragma unroll
  for (int c = 0; c < block_order; ++c) {
    lower[c * tile_leading + row] = row == c ? T(1) : entry[c];
    upper[row * tile_leading + c] = entry[c];
  }
}

// LU of a tile: `lower` has it by columns and gets L, `upper` by rows and gets U; their other
// triangles become anything. Rows and columns from `pivots` on are zero. By all threads of a block,
// between barriers.
template <class T>
__device__ __noinline__ void factor_tile(T* lower, T* upper, int pivots) {
  const bool of_lower = lane_number() < warp_entries;
  const int along = warp_number() * warp_entries + lane_number() % warp_entries;
#pragma unroll 1
  for (int step = 0; step * block_order < pivots; ++step) {
    const int first = step * block_order, block = first * (tile_leading + 1);
    subtract_vectors_before(lower, upper, step);
    subtract_vectors_before(upper, lower, step);
    __syncthreads();
    if (warp_number() == 0) factor_block(lower + block, upper + block);
    __syncthreads();
    if (along >= first + block_order) {
      substitute((of_lower ? lower : upper) + first * tile_leading + along,
                 (of_lower ? upper : lower) + block);
    }
    __syncthreads();
  }
}

// Whether products with the inverses of a tile's L and U, which `entries` hold, are as accurate as
// substitution, by largest_inverse_entry. False where one is not finite. `bound`: tile_order
// entries in shared memory that nothing else uses. By all threads of a block.
template <class T>
__device__ bool has_small_inverses(Fragment<T>& entries, T* bound) {
  constexpr T largest = largest_inverse_entry;
  const int first_row = BlockGroup::first_row(), first_column = BlockGroup::first_column();
  entries.for_each([&](int i, int j, const T& value) {
    if (first_row + i != first_column + j) return;
    const T of_column = largest * fabs(value);
    bound[first_row + i] = isfinite(of_column) ? of_column : T(-1);
  });
  __syncthreads();
  bool small = true;
  entries.for_each([&](int i, int j, const T& value) {
    const int column = first_column + j;
    small &= fabs(value) <= (first_row + i > column ? largest : bound[column]);
  });
  return __syncthreads_and(small) != 0;
}

// LU in place of a tile in fragments, through two tiles of shared memory that nothing else uses. By
// all threads of a block.
template <class T>
__device__ void factor_plainly(Fragment<T>& entries, T* lower_tile, T* upper_tile, int pivots) {
  const int row = BlockGroup::first_row(), column = BlockGroup::first_column();
  T* const lower = lower_tile + column * tile_leading + row;
  T* const upper = upper_tile + row * tile_leading + column;
  entries.for_each([&](int i, int j, const T& value) {
    lower[j * tile_leading + i] = upper[i * tile_leading + j] = value;
  });
  __syncthreads();
  factor_tile(lower_tile, upper_tile, pivots);
  entries.for_each([&](int i, int j, T& value) {
    value = row + i > column + j ? lower[j * tile_leading + i] : upper[i * tile_leading + j];
  });
}

}  // namespace lufact::gpu
