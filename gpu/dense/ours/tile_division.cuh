// SPDX-License-Identifier: BSD-3-Clause
// Products of tiles in shared memory, 64 x 64: left factors by columns, right ones by rows,
// tile_leading apart. All of it is called by all threads of a block.
#pragma once
#include "gpu/fronts/numeric/panel_sums.cuh"
#include "gpu/fronts/numeric/tile_product.cuh"

namespace lufact::gpu::blocked {

// Puts body(row, column, entry) of every entry into a place.
template <class T, class Body>
__device__ void put_tile(T* place, int row_step, int column_step, Fragment<T>& entries,
                         const Body& body) {
  const int row = BlockGroup::first_row(), column = BlockGroup::first_column();
  T* const to = place + row * row_step + column * column_step;
  entries.for_each([&](int i, int j, T& value) {
    to[i * row_step + j * column_step] = body(row + i, column + j, value);
  });
}

// Through `place`, which is free, or a factor. A barrier has passed on return since all have read
// the factors.
template <class T>
__device__ void multiply_tiles(Fragment<T>& product, const T* left, const T* right, T* place) {
  PanelSums<T> sums(product, place, FromZero{});
#pragma unroll 1
  for (int p = 0; p < tile; p += product_depth) {
    sums.add(left + p * tile_leading, right + p * tile_leading);
  }
  sums.give_back();
  __syncthreads();
}

// A tile times a triangle's inverse, in the tile's place. A barrier is needed before and behind.
template <class T>
class TileDivision {
 public:
  // By the inverse of an upper triangle.
  __device__ static void multiply_from_right(T* place, const T* inverse) {
    Fragment<T> product;
    multiply_tiles(product, place, inverse, place);
    put_tile(place, 1, tile_leading, product, [](int, int, T value) { return value; });
  }
  // By the inverse of a lower triangle.
  __device__ static void multiply_from_left(T* place, const T* inverse) {
    Fragment<T> product;
    multiply_tiles(product, inverse, place, place);
    put_tile(place, tile_leading, 1, product, [](int, int, T value) { return value; });
  }
};

// The triangle's zeros are left out, three eighths of the products and more, and a warp reads and
// writes rows, or columns, of the tile that no other does. Of floats it took longer so, in a trial
// on an H200.
template <>
class TileDivision<double> {
 public:
  __device__ static void multiply_from_right(double* place, const double* inverse) {
    double* const own = place + warp_number() * share;  // rows
    double sum[blocks][2][2] = {};
#pragma unroll
    for (int k = 0; k < blocks; ++k) {
      const LeftOperand<double, 2> left(own + k * block_order * tile_leading, tile_leading);
#pragma unroll
      for (int y = k; y < blocks; ++y) {
        const double* const right = inverse + k * block_order * tile_leading + y * block_order;
        left.add_product(sum[y], RightOperand<double>(right, tile_leading));
      }
    }
    __syncwarp();
    const LanePlace lane;
#pragma unroll
    for (int y = 0; y < blocks; ++y) {
#pragma unroll
      for (int x = 0; x < 2; ++x) {
        double* const to =
            own + (y * block_order + lane.column) * tile_leading + x * block_order + lane.row;
        to[0] = sum[y][x][0];
        to[tile_leading] = sum[y][x][1];
      }
    }
  }

  __device__ static void multiply_from_left(double* place, const double* inverse) {
    double* const own = place + warp_number() * share;  // columns
    double sum[2][blocks / 2][2][2] = {};               // by block column, pair of block rows
#pragma unroll
    for (int k = 0; k < blocks; ++k) {
      const double* const from = own + k * block_order * tile_leading;
      const RightOperand<double> right[2] = {{from, tile_leading},
                                             {from + block_order, tile_leading}};
#pragma unroll
      for (int pair = k / 2; pair < blocks / 2; ++pair) {
        const LeftOperand<double, 2> left(
            inverse + k * block_order * tile_leading + pair * 2 * block_order, tile_leading);
#pragma unroll
        for (int y = 0; y < 2; ++y) left.add_product(sum[y][pair], right[y]);
      }
    }
    __syncwarp();
    const LanePlace lane;
#pragma unroll
    for (int y = 0; y < 2; ++y) {
#pragma unroll
      for (int x = 0; x < blocks; ++x) {
        const double(&pair)[2] = sum[y][x / 2][x % 2];
        double* const to =
            own + (x * block_order + lane.row) * tile_leading + y * block_order + lane.column;
        *reinterpret_cast<TwoEntries<double>*>(to) = {pair[0], pair[1]};
      }
    }
  }

 private:
  static constexpr int blocks = tile / block_order;
  static constexpr int share = tile / tile_warps;  // rows or columns of a warp
  static_assert(share == 2 * block_order);
};

}  // namespace lufact::gpu::blocked
