// SPDX-License-Identifier: BSD-3-Clause
// Products of panels in shared memory, added to the lanes' registers. Entry (i, k) of the left
// factor is at left[k * leading + i], entry (k, j) of the right at right[k * leading + j]. Sums are
// taken in a fixed order. Doubles go to the tensor cores where the card has them.
#pragma once
#include "gpu/components/double_mma.cuh"
#include "gpu/fronts/tasks/tile_layout.cuh"

namespace lufact::gpu {

// The right factor of a product 8 deep, of 8 columns: the lane's two. Factors are loaded whole
// before their product, so that no sum waits for more than one load.
template <class T>
struct RightOperand {
  TwoEntries<T> entry[block_order];

  __device__ RightOperand(const T* from, int leading) {
    from += LanePlace().column;
#pragma unroll
    for (int k = 0; k < block_order; ++k) {
      entry[k] = *reinterpret_cast<const TwoEntries<T>*>(from + k * leading);
    }
  }
};

// The left factor of products 8 deep, of 8 * `blocks` rows: multiplied with 8 columns of a right
// panel and added to one block column.
template <class T, int blocks>
class LeftOperand {
 public:
  __device__ LeftOperand(const T* panel, int leading) {
    panel += LanePlace().row;
#pragma unroll
    for (int k = 0; k < block_order; ++k) {
#pragma unroll
      for (int x = 0; x < blocks; ++x) entry_[k][x] = panel[k * leading + x * block_order];
    }
  }

  __device__ void add_product(T (&sum)[blocks][2], const RightOperand<T>& right) const {
#pragma unroll
    for (int k = 0; k < block_order; ++k) {
#pragma unroll
      for (int x = 0; x < blocks; ++x) {
        sum[x][0] += entry_[k][x] * right.entry[k].first;
        sum[x][1] += entry_[k][x] * right.entry[k].second;
      }
    }
  }

 private:
  T entry_[block_order][blocks];
};

#ifdef LUFACT_DOUBLE_TENSOR_CORES

template <>
struct RightOperand<double> {
  double entry[2];

  __device__ RightOperand(const double* from, int leading) {
    const LanePlace lane;
    from += lane.column / 2 * leading + lane.row;
    entry[0] = from[0];
    entry[1] = from[4 * leading];
  }
};

template <int blocks>
class LeftOperand<double, blocks> {
 public:
  __device__ LeftOperand(const double* panel, int leading) {
    const LanePlace lane;
    const double* const from = panel + lane.column / 2 * leading + lane.row;
#pragma unroll
    for (int x = 0; x < blocks / 2; ++x) {
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        entry_[x][part] = from[part / 2 * 4 * leading + x * 16 + part % 2 * 8];
      }
    }
  }

  __device__ void add_product(double (&sum)[blocks][2], const RightOperand<double>& right) const {
#pragma unroll
    for (int x = 0; x < blocks / 2; ++x) {
      multiply_16x8x8(sum[2 * x], sum[2 * x + 1], entry_[x], right.entry);
    }
  }

 private:
  double entry_[blocks / 2][4];
};

// Of a single block.
template <>
class LeftOperand<double, 1> {
 public:
  __device__ LeftOperand(const double* panel, int leading) {
    const LanePlace lane;
    const double* const from = panel + lane.column / 2 * leading + lane.row;
    entry_[0] = from[0];
    entry_[1] = from[4 * leading];
  }

  __device__ void add_product(double (&sum)[1][2], const RightOperand<double>& right) const {
    multiply_8x8x8(sum[0], entry_, right.entry);
  }

 private:
  double entry_[2];
};

#endif

// sum += left * right, 8 deep, 32 x 32.
template <class T>
__device__ void add_product_8(Fragment<T>& sum, const T* left, const T* right, int leading) {
  const LeftOperand<T, warp_blocks> operand(left, leading);
#pragma unroll
  for (int y = 0; y < warp_blocks; ++y) {
    operand.add_product(sum.entry[y], RightOperand<T>(right + y * block_order, leading));
  }
}

// A warp's 32 x 32 part of a product of panels product_depth deep.
template <class T>
__device__ void add_panel_product(Fragment<T>& sum, const T* left, const T* right) {
  left += BlockGroup::first_row();
  right += BlockGroup::first_column();
#pragma unroll
  for (int k = 0; k < product_depth; k += block_order) {
    add_product_8(sum, left + k * tile_leading, right + k * tile_leading, tile_leading);
  }
}

}  // namespace lufact::gpu
