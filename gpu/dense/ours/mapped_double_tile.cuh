// SPDX-License-Identifier: BSD-3-Clause
// The tile of a product of doubles whose factors come by tensor maps.
#pragma once
#include "gpu/components/double_mma.cuh"
#include "gpu/dense/ours/mapped_panels.cuh"

namespace lufact::gpu::blocked {

// Warps have 64 x 32 of it, as 4 x 4 blocks of 16 x 8, each of an mma. So that a lane's entries lie
// beside each other in memory, two by two, rows, columns and depths of an mma are other ones of the
// tile: rows g and g + 8 are rows 2g and 2g + 1 of the 16; columns 2t and 2t + 1 are columns t and
// t + 4 of the 8; depths t and t + 4 are 2t and 2t + 1 of the 16, and t + 8, t + 12 are 8 deeper
// (the lane is 4 g + t). All accesses to shared memory are of 16 bytes without conflicts of banks.
//
// Two blocks share a multiprocessor, so that one loads and stores its part of the target while the
// other multiplies. Measured: 128 columns on eight warps, or pairs of blocks that share what they
// copy of the left factor, are slower at depths up to 512.
struct MappedDoubleTile {
  using Entry = double;
  static constexpr int rows = 128, columns = 64, depth = 16;
  static constexpr int warp_rows = 64, warp_columns = 32;
  static constexpr int warps = rows / warp_rows * (columns / warp_columns);
  static constexpr int threads = warps * warp_size;
  static constexpr int blocks_per_multiprocessor = 2;  // of up to 255 registers a thread
  static constexpr int stages = 4;
  static constexpr int left_box_rows = 16;
  static constexpr bool left_is_swizzled = true;
  static constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;

  __device__ static int first_row(const MappedLane<MappedDoubleTile>& lane) {
    return lane.row + lane.lane / 4 * 2;
  }
  __device__ static int first_column(const MappedLane<MappedDoubleTile>& lane) {
    return lane.column + lane.lane % 4;
  }
};

// The part of a panel that a lane reads, as places that are the same in all panels.
class DoublePanelReader {
 public:
  using Tile = MappedDoubleTile;
  using Panel = MappedPanel<Tile>;

  __device__ explicit DoublePanelReader(const MappedLane<Tile>& lane)
      : DoublePanelReader(lane, lane.lane / 4, lane.lane % 4) {}

  // The 16 x 16 of block row x.
  __device__ void load_left(double (&to)[8], const Panel& panel, int x) const {
    const double* const box = panel.left[box_ + x];
    load_pair(to[0], to[1], box + left_);
    load_pair(to[2], to[3], box + left_beside_);
    load_pair(to[4], to[5], box + left_ + 8 * line);
    load_pair(to[6], to[7], box + left_beside_ + 8 * line);
  }
  // The 16 x 8 of block column y.
  __device__ void load_right(double (&to)[4], const Panel& panel, int y) const {
    const double* const lines = panel.right + y * 8 * line;
    load_pair(to[0], to[1], lines + right_);
    load_pair(to[2], to[3], lines + right_deeper_);
  }

 private:
  static constexpr int line = Tile::depth;
  static_assert(Tile::left_box_rows == line);

  __device__ DoublePanelReader(const MappedLane<Tile>& lane, int group, int member)
      : box_(lane.row / line),
        left_(place(2 * member, group)),
        left_beside_(place(2 * member + 1, group)),
        right_(lane.column * line + place(column_of(group), member)),
        right_deeper_(lane.column * line + place(column_of(group), member + 4)) {}

  // Of piece p of line k in its box.
  __device__ static int place(int k, int p) { return k * line + (p ^ k % 8) * 2; }
  __device__ static int column_of(int group) { return group / 2 + group % 2 * 4; }
  __device__ static void load_pair(double& first, double& second, const double* from) {
    const double2 pair = *reinterpret_cast<const double2*>(from);
    first = pair.x;
    second = pair.y;
  }

  int box_, left_, left_beside_, right_, right_deeper_;
};

// The sums of a lane and the fragments that it multiplies next.
class DoubleSums {
 public:
  using Tile = MappedDoubleTile;
  // Pieces are of 16 bytes in a column; so many rows and columns between those of a lane.
  static constexpr int row_pieces = Tile::row_blocks, row_step = 16;
  static constexpr int column_pieces = 2 * Tile::column_blocks, column_step = 4;

  __device__ explicit DoubleSums(const MappedLane<Tile>& lane) : reader_(lane) { clear(); }
  __device__ void load_first(const MappedPanel<Tile>& panel) {
    reader_.load_right(right_[0], panel, 0);
#pragma unroll
    for (int x = 0; x < Tile::row_blocks; ++x) reader_.load_left(left_[x], panel, x);
  }
  // All block columns of a panel but the last, whose factor is read, too.
  __device__ void add_first_steps(const MappedPanel<Tile>& panel) {
#pragma unroll
    for (int y = 0; y + 1 < Tile::column_blocks; ++y) {
      reader_.load_right(right_[(y + 1) % 2], panel, y + 1);
#pragma unroll
      for (int x = 0; x < Tile::row_blocks; ++x) {
        multiply_16x8x16(sum_[x][y], left_[x], right_[y % 2]);
      }
    }
  }
  // The last block column, while the first fragments of the next panel are read.
  __device__ void add_last_step(const MappedPanel<Tile>& next) {
    constexpr int y = Tile::column_blocks - 1;
    static_assert(y % 2 == 1);
    reader_.load_right(right_[0], next, 0);
#pragma unroll
    for (int x = 0; x < Tile::row_blocks; ++x) {
      multiply_16x8x16(sum_[x][y], left_[x], right_[1]);
      reader_.load_left(left_[x], next, x);
    }
  }

  __device__ double2 piece(int i, int j) const {
    const double(&sum)[4] = sum_[i][j / 2];
    return make_double2(sum[j % 2], sum[j % 2 + 2]);
  }

 private:
  __device__ void clear() {
#pragma unroll
    for (int x = 0; x < Tile::row_blocks; ++x) {
#pragma unroll
      for (int y = 0; y < Tile::column_blocks; ++y) {
#pragma unroll
        for (int k = 0; k < 4; ++k) sum_[x][y][k] = 0;
      }
    }
  }

  DoublePanelReader reader_;
  double sum_[Tile::row_blocks][Tile::column_blocks][4];
  double left_[Tile::row_blocks][8], right_[2][4];
};

}  // namespace lufact::gpu::blocked
