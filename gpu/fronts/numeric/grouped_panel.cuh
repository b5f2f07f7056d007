// SPDX-License-Identifier: BSD-3-Clause
// Panels of doubles that the copy unit brings, and their product on the tensor cores (cards from
// 9.0 on).
//
// Columns of a stored tile of L, or rows of U, follow each other in memory, so that four of them, a
// group, are one copy. In shared memory groups are 32 bytes further apart than they are long. Lane
// 4 g + t of an mma reads depths 4 t to 4 t + 3, its own group, as those that the mma calls t,
// t + 4, t + 8 and t + 12. The 16 lanes that shared memory serves at a time then read 4 places
// beside each other in each of 4 groups: 16 pairs of banks, whatever the length of a column, since
// that of a group is a multiple of all banks.
#pragma once
#include "gpu/components/double_mma.cuh"
#include "gpu/components/tensor_copy.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

inline constexpr int group_depth = 4, panel_groups = product_depth / group_depth;
static_assert(group_depth * stored_unit * sizeof(double) == 128);

// From a group's first entry to that of the next; `rows`: of the stored tile.
__device__ inline int group_stride(int rows) {
  return group_depth * rows + 4;
}
inline constexpr int largest_grouped_panel = panel_groups * (group_depth * tile + 4);

// Copies the first `depth` columns. By one thread.
__device__ inline void copy_groups(double* panel, const double* from, int rows, int depth,
                                   const CopyBarrier& barrier) {
  const int bytes = group_depth * rows * static_cast<int>(sizeof(double));
  if (depth == product_depth) {
#pragma unroll
    for (int group = 0; group < panel_groups; ++group) {
      copy_bytes(panel + group * group_stride(rows), from + group * group_depth * rows, bytes,
                 barrier);
    }
    return;
  }
#pragma unroll 1
  for (; depth > 0; depth -= group_depth) {
    copy_bytes(panel, from, min(depth, group_depth) * bytes / group_depth, barrier);
    panel += group_stride(rows);
    from += group_depth * rows;
  }
}

// Clears columns from `depth` on. By all threads of a block.
__device__ inline void clear_groups_from(int depth, double* panel, int rows) {
  const int row = static_cast<int>(threadIdx.x % unsigned{tile});
  const int first = depth + static_cast<int>(threadIdx.x / unsigned{tile});
  if (row >= rows) return;
#pragma unroll 1
  for (int k = first; k < product_depth; k += tile_threads / tile) {
    panel[k / group_depth * (group_stride(rows) - group_depth * rows) + k * rows + row] = 0;
  }
}

// What a lane reads of one factor: the same places of all panels. Rows from `rows` on are others'
// entries: finite or not, they come into no other row of a product.
class GroupedOperand {
 public:
  __device__ GroupedOperand(int rows, int first_row)
      : place_(lane_number() % 4 * group_stride(rows) + first_row + lane_number() / 4),
        rows_(rows) {}

  // Depth `part` of the lane's four, of the row that is `row` beyond its first.
  __device__ double entry(const double* panel, int part, int row) const {
    return panel[place_ + part * rows_ + row];
  }

 private:
  int place_, rows_;
};

// The fragments of a warp's 32 x 32 part of a product, read one step ahead of their mma.
class GroupedProduct {
 public:
  __device__ GroupedProduct(int rows, int columns)
      : left_operand_(rows, BlockGroup::first_row()),
        right_operand_(columns, BlockGroup::first_column()) {}

  __device__ void load_first(const double* left, const double* right) {
    load_right(right_[0], right, 0);
#pragma unroll
    for (int x = 0; x < row_blocks; ++x) load_left(left_[x], left, x);
  }
  // All block columns of a panel but the last, whose factor is read, too.
  __device__ void add_first_steps(Fragment<double>& sum, const double* right) {
#pragma unroll
    for (int y = 0; y + 1 < warp_blocks; ++y) {
      load_right(right_[(y + 1) % 2], right, y + 1);
#pragma unroll
      for (int x = 0; x < row_blocks; ++x) add(sum, x, y);
    }
  }
  // The last block column, while the first fragments of the next panel are read.
  __device__ void add_last_step(Fragment<double>& sum, const double* next_left,
                                const double* next_right) {
    load_right(right_[0], next_right, 0);
#pragma unroll
    for (int x = 0; x < row_blocks; ++x) {
      add(sum, x, warp_blocks - 1);
      load_left(left_[x], next_left, x);
    }
  }

 private:
  static constexpr int row_blocks = warp_blocks / 2;  // of 16 rows
  static_assert(warp_blocks % 2 == 0);

  __device__ void add(Fragment<double>& sum, int x, int y) const {
    multiply_16x8x16(sum.entry[y][2 * x], sum.entry[y][2 * x + 1], left_[x], right_[y % 2]);
  }
  __device__ void load_left(double (&to)[8], const double* panel, int x) const {
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      to[2 * part] = left_operand_.entry(panel, part, 16 * x);
      to[2 * part + 1] = left_operand_.entry(panel, part, 16 * x + 8);
    }
  }
  __device__ void load_right(double (&to)[4], const double* panel, int y) const {
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      to[part] = right_operand_.entry(panel, part, y * block_order);
    }
  }

  GroupedOperand left_operand_, right_operand_;
  double left_[row_blocks][8], right_[2][4];
};

}  // namespace lufact::gpu
