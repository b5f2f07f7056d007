// SPDX-License-Identifier: BSD-3-Clause
// The tile of a product of floats whose factors come by tensor maps.
#pragma once
#include "gpu/dense/ours/mapped_panels.cuh"

namespace lufact::gpu::blocked {

// Warps have 64 x 64 of it, on 8 x 4 lanes: a lane has twice four rows that follow each other, 32
// apart, and every fourth column. Eight lanes beside each other read a line of the left panel
// whole, and the same four depths of a column of the right one. With 8 x 16 sums a lane, fused
// multiply-adds and not shared memory bound it, which 8 x 8 would keep as busy.
struct MappedFloatTile {
  using Entry = float;
  static constexpr int rows = 128, columns = 128, depth = 32;
  static constexpr int warp_rows = 64, warp_columns = 64;
  static constexpr int warps = 4, threads = warps * warp_size;
  static constexpr int blocks_per_multiprocessor = 2, stages = 3;
  static constexpr int left_box_rows = rows;
  static constexpr bool left_is_swizzled = false;

  __device__ static int first_row(const MappedLane<MappedFloatTile>& lane) {
    return lane.row + lane.lane % 8 * 4;
  }
  __device__ static int first_column(const MappedLane<MappedFloatTile>& lane) {
    return lane.column + lane.lane / 8;
  }
};

// The sums of a lane, rows of the left panel at one depth and at the next, and of each column of
// the right panel four depths, which the next four replace as soon as they are multiplied.
class FloatSums {
 public:
  using Tile = MappedFloatTile;
  using Panel = MappedPanel<Tile>;
  // Pieces are of 16 bytes in a column; so many rows and columns between those of a lane.
  static constexpr int row_pieces = 2, row_step = 32;
  static constexpr int column_pieces = 16, column_step = 4;

  __device__ explicit FloatSums(const MappedLane<Tile>& lane)
      : left_place_(Tile::first_row(lane)),
        right_place_(Tile::first_column(lane) * Tile::depth),
        member_(lane.lane / 8) {
#pragma unroll
    for (int j = 0; j < column_pieces; ++j) {
#pragma unroll
      for (int i = 0; i < rows; ++i) sum_[j][i] = 0;
    }
  }
  __device__ void load_first(const Panel& panel) {
    load_left(left_[0], panel, 0);
#pragma unroll
    for (int j = 0; j < column_pieces; ++j) load_right(right_[j], panel, 0, j);
  }
  // All of a panel but the last depth, which is read, too.
  __device__ void add_first_steps(const Panel& panel) {
#pragma unroll 1
    for (int quad = 0; quad + 1 < quads; ++quad) {
      add_three(panel, quad);
      add_fourth(panel, quad + 1);
    }
    add_three(panel, quads - 1);
  }
  // The last depth, while the first ones of the next panel are read.
  __device__ void add_last_step(const Panel& next) {
    add_fourth(next, 0);
  }

  __device__ float4 piece(int i, int j) const {
    const float* const sum = sum_[j] + 4 * i;
    return make_float4(sum[0], sum[1], sum[2], sum[3]);
  }

 private:
  static constexpr int rows = 4 * row_pieces, quads = Tile::depth / 4;

  // The first three of four depths that follow each other.
  __device__ void add_three(const Panel& panel, int quad) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      load_left(left_[(k + 1) % 2], panel, 4 * quad + k + 1);
#pragma unroll
      for (int j = 0; j < column_pieces; ++j) add(j, left_[k % 2], right_[j][k]);
    }
  }
  __device__ void add_fourth(const Panel& next, int next_quad) {
    load_left(left_[0], next, 4 * next_quad);
#pragma unroll
    for (int j = 0; j < column_pieces; ++j) {
      add(j, left_[1], right_[j][3]);
      load_right(right_[j], next, next_quad, j);
    }
  }
  __device__ void add(int j, const float (&left)[rows], float factor) {
#pragma unroll
    for (int i = 0; i < rows; ++i) sum_[j][i] = fmaf(left[i], factor, sum_[j][i]);
  }

  __device__ void load_left(float (&to)[rows], const Panel& panel, int k) const {
#pragma unroll
    for (int i = 0; i < row_pieces; ++i) {
      load_four(to + 4 * i, panel.left[0] + k * Tile::rows + left_place_ + i * row_step);
    }
  }
  // The line of column j of the lane is that of the first one and `member` or 4 more modulo 8.
  __device__ void load_right(float (&to)[4], const Panel& panel, int quad, int j) const {
    const int piece = quad ^ member_ ^ j % 2 * 4;
    load_four(to, panel.right + right_place_ + j * column_step * Tile::depth + piece * 4);
  }
  __device__ static void load_four(float* to, const float* from) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
  }

  int left_place_, right_place_, member_;
  float sum_[column_pieces][rows];
  float left_[2][rows], right_[column_pieces][4];
};

}  // namespace lufact::gpu::blocked
