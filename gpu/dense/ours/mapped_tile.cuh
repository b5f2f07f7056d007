// SPDX-License-Identifier: BSD-3-Clause
// The tile of a product of doubles whose factors the copy unit of cards from 9.0 on brings: a ring
// of panels in shared memory, and the sums in registers.
#pragma once
#include "gpu/components/double_mma.cuh"
#include "gpu/components/tensor_copy.cuh"
#include "gpu/components/tensor_map.hpp"
#include "gpu/dense/ours/product.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu::blocked {

struct ProductMaps {
  CUtensorMap left, right;
};

// Warps have 64 x 32 of it, as 4 x 4 blocks of 16 x 8, each of an mma. So that a lane's entries lie
// beside each other in memory, two by two, rows, columns and depths of an mma are other ones of the
// tile: rows g and g + 8 are rows 2g and 2g + 1 of the 16; columns 2t and 2t + 1 are columns t and
// t + 4 of the 8; depths t and t + 4 are 2t and 2t + 1 of the 16, and t + 8, t + 12 are 8 deeper.
// All accesses to shared memory are of 16 bytes without conflicts of banks.
//
// With 64 columns two blocks share a multiprocessor, so that one loads and stores its part of the
// target while the other multiplies.
template <int kColumns>
struct MappedTile {
  static constexpr int rows = 128, columns = kColumns, depth = 16;
  static constexpr int warp_rows = 64, warp_columns = 32;
  static constexpr int warps = rows / warp_rows * (columns / warp_columns);
  static constexpr int threads = warps * warp_size;
  static constexpr int blocks_per_multiprocessor = 8 / warps;  // of up to 255 registers a thread
  static constexpr int stages = columns <= 64 ? 4 : 6;
  static constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;
};

// A panel of both factors as their maps bring it: of the left one boxes of 16 rows, whose lines are
// its columns; of the right one a box whose lines are the columns of the tile.
template <class Tile>
struct MappedPanel {
  static constexpr int line = mapped_box_rows;
  static constexpr int left_boxes = Tile::rows / line;
  static constexpr int bytes = (Tile::rows + Tile::columns) * Tile::depth * int{sizeof(double)};
  static_assert(Tile::depth == line);

  alignas(1024) double left[left_boxes][Tile::depth * line];
  double right[Tile::columns * line];
};

// Where the lane stands: `group` and `member` are g and t of an mma, `row` and `column` the first
// ones of its warp in the tile.
template <class Tile>
struct MappedLane {
  int warp = static_cast<int>(threadIdx.x) / warp_size;
  int lane = static_cast<int>(threadIdx.x) % warp_size;
  int group = lane / 4, member = lane % 4;
  int row = warp % (Tile::rows / Tile::warp_rows) * Tile::warp_rows;
  int column = warp / (Tile::rows / Tile::warp_rows) * Tile::warp_columns;
};

// Panels follow each other through the stages. Warps take turns at starting copies; each panel is
// asked for two panels before its turn, when all warps should long have released the stage that it
// takes, since they may be up to a panel apart.
template <class Tile>
class PanelRing {
 public:
  using Panel = MappedPanel<Tile>;

  // By all threads of the block.
  __device__ void open(const MappedLane<Tile>& lane, const ProductMaps& maps, int row, int column,
                       Index panels) {
    if (lane.warp == 0 && is_elected()) {
#pragma unroll
      for (int s = 0; s < Tile::stages; ++s) {
        full_[s].init(1);
        empty_[s].init(Tile::warps);
      }
      publish_barriers();
      for (Index panel = 0; panel < min(panels, Index{Tile::stages}); ++panel) {
        copy(maps, row, column, panel);
      }
    }
    __syncthreads();
  }
  // By all warps in each turn of the loop over panels.
  __device__ void refill(const MappedLane<Tile>& lane, const ProductMaps& maps, int row, int column,
                         Index panel, Index panels) {
    const Index next = panel + ahead;
    if (next < Tile::stages || next >= panels) return;
    if (lane.warp != next % Tile::warps || !is_elected()) return;
    empty_[next % Tile::stages].wait(parity(next - Tile::stages));
    copy(maps, row, column, next);
  }
  // The panel when it is there.
  __device__ const Panel& wait(Index panel) {
    full_[panel % Tile::stages].wait(parity(panel));
    return stage_[panel % Tile::stages];
  }
  // When the warp has read all that it needs of the panel.
  __device__ void release(const MappedLane<Tile>& lane, Index panel) {
    __syncwarp();
    if (is_elected()) empty_[panel % Tile::stages].arrive();
  }

 private:
  static constexpr int ahead = Tile::stages - 2;

  __device__ static unsigned parity(Index panel) {
    return static_cast<unsigned>(panel) / Tile::stages % 2;
  }
  __device__ void copy(const ProductMaps& maps, int row, int column, Index panel) {
    Panel& to = stage_[panel % Tile::stages];
    CopyBarrier& barrier = full_[panel % Tile::stages];
    barrier.arrive_and_expect(Panel::bytes);
#pragma unroll
    for (int box = 0; box < Panel::left_boxes; ++box) {
      copy_box(to.left[box], maps.left, row + box * Panel::line, panel * Tile::depth, barrier);
    }
    copy_box(to.right, maps.right, panel * Tile::depth, column, barrier);
  }

  Panel stage_[Tile::stages];
  CopyBarrier full_[Tile::stages], empty_[Tile::stages];
};

// The part of a panel that a lane reads, as places that are the same in all panels.
template <class Tile>
class PanelReader {
 public:
  using Panel = MappedPanel<Tile>;

  __device__ explicit PanelReader(const MappedLane<Tile>& lane)
      : box_(lane.row / Panel::line),
        left_(place(2 * lane.member, lane.group)),
        left_beside_(place(2 * lane.member + 1, lane.group)),
        right_(lane.column * Panel::line + place(column_of(lane.group), lane.member)),
        right_deeper_(lane.column * Panel::line + place(column_of(lane.group), lane.member + 4)) {}

  // The 16 x 16 of block row x.
  __device__ void load_left(double (&to)[8], const Panel& panel, int x) const {
    const double* const box = panel.left[box_ + x];
    load_pair(to[0], to[1], box + left_);
    load_pair(to[2], to[3], box + left_beside_);
    load_pair(to[4], to[5], box + left_ + 8 * Panel::line);
    load_pair(to[6], to[7], box + left_beside_ + 8 * Panel::line);
  }
  // The 16 x 8 of block column y.
  __device__ void load_right(double (&to)[4], const Panel& panel, int y) const {
    const double* const lines = panel.right + y * 8 * Panel::line;
    load_pair(to[0], to[1], lines + right_);
    load_pair(to[2], to[3], lines + right_deeper_);
  }

 private:
  // Of piece p of line k in its box.
  __device__ static int place(int k, int p) { return k * Panel::line + (p ^ k % 8) * 2; }
  __device__ static int column_of(int group) { return group / 2 + group % 2 * 4; }
  __device__ static void load_pair(double& first, double& second, const double* from) {
    const double2 pair = *reinterpret_cast<const double2*>(from);
    first = pair.x;
    second = pair.y;
  }

  int box_, left_, left_beside_, right_, right_deeper_;
};

// The sums of a lane and the fragments that it multiplies next.
template <class Tile>
class MappedSums {
 public:
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
  __device__ void load_first(const PanelReader<Tile>& reader, const MappedPanel<Tile>& panel) {
    reader.load_right(right_[0], panel, 0);
#pragma unroll
    for (int x = 0; x < Tile::row_blocks; ++x) reader.load_left(left_[x], panel, x);
  }
  // All block columns of a panel but the last, whose factor is read, too.
  __device__ void add_first_columns(const PanelReader<Tile>& reader,
                                    const MappedPanel<Tile>& panel) {
#pragma unroll
    for (int y = 0; y + 1 < Tile::column_blocks; ++y) {
      reader.load_right(right_[(y + 1) % 2], panel, y + 1);
#pragma unroll
      for (int x = 0; x < Tile::row_blocks; ++x) {
        multiply_16x8x16(sum_[x][y], left_[x], right_[y % 2]);
      }
    }
  }
  // The last block column, while the first fragments of the next panel are read.
  __device__ void add_last_column(const PanelReader<Tile>& reader, const MappedPanel<Tile>& next) {
    constexpr int y = Tile::column_blocks - 1;
    static_assert(y % 2 == 1);
    reader.load_right(right_[0], next, 0);
#pragma unroll
    for (int x = 0; x < Tile::row_blocks; ++x) {
      multiply_16x8x16(sum_[x][y], left_[x], right_[1]);
      reader.load_left(left_[x], next, x);
    }
  }

  // Of the two rows from 2g on in block row x: those in column t of block column y, or in t + 4.
  __device__ double2 pair(int x, int y, int half) const {
    return make_double2(sum_[x][y][half], sum_[x][y][half + 2]);
  }

 private:
  double sum_[Tile::row_blocks][Tile::column_blocks][4];
  double left_[Tile::row_blocks][8], right_[2][4];
};

}  // namespace lufact::gpu::blocked
