// SPDX-License-Identifier: BSD-3-Clause
// The sums of a warp's 32 x 32 part of a tile while products of panels are added to them, one panel
// after the other.
#pragma once
#include "gpu/fronts/numeric/tile_memory.cuh"
#include "gpu/fronts/numeric/tile_product.cuh"

namespace lufact::gpu {

// They stay in the fragment that they are taken from.
template <class T>
class PanelSums {
 public:
  __device__ PanelSums(Fragment<T>& fragment, TileMemory<T>& /*memory*/) : sum_(fragment) {}

  __device__ void add(const ProductStage<T>& stage) {
    add_panel_product(sum_, stage.left, stage.right);
  }
  __device__ void give_back() {}

 private:
  Fragment<T>& sum_;
};

// Of floats a lane has 4 x 8 that follow each other in fours. The 12 factors of one step of depth
// then come by 3 loads of 16 bytes; in the fragment's layout they take 8 of 4 and 8 bytes, as long
// as their 32 products.
template <>
class PanelSums<float> {
 public:
  // Through the tile's place. By all threads of a block; the place is free behind the next barrier.
  __device__ PanelSums(Fragment<float>& fragment, TileMemory<float>& memory)
      : fragment_(fragment), place_(memory.entry + first_row() + first_column() * tile_leading) {
    __syncthreads();  // until then other warps may read their entries there
    fragment_.for_each(
        [&](int i, int j, const float& value) { place_[j * tile_leading + i] = value; });
    __syncwarp();
    for_columns(
        [&](int c, Four& column) { column = load(place_ + c * tile_leading + lane_row()); });
  }

  __device__ void add(const ProductStage<float>& stage) {
    const float* left = stage.left + first_row() + lane_row();
    const float* right = stage.right + first_column() + lane_column();
#pragma unroll 4
    for (int k = 0; k < product_depth; ++k, left += tile_leading, right += tile_leading) {
      const Four rows = load(left);
      const Four columns[2] = {load(right), load(right + second_four)};
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) {
#pragma unroll
        for (int r = 0; r < 4; ++r) {
          column_[c].entry[r] += rows.entry[r] * columns[c / 4].entry[c % 4];
        }
      }
    }
  }

  // To the fragment, behind a barrier of the block; the tile's place is free on return.
  __device__ void give_back() {
    for_columns([&](int c, const Four& column) {
      *reinterpret_cast<Four*>(place_ + c * tile_leading + lane_row()) = column;
    });
    __syncwarp();
    fragment_.for_each([&](int i, int j, float& value) { value = place_[j * tile_leading + i]; });
    __syncthreads();
  }

 private:
  struct alignas(16) Four {
    float entry[4];
  };
  static constexpr int lane_columns = 8, second_four = 16;

  __device__ static Four load(const float* from) {
    return *reinterpret_cast<const Four*>(from);
  }
  __device__ static int first_row() {
    return BlockGroup::first_row();
  }
  __device__ static int first_column() {
    return BlockGroup::first_column();
  }
  __device__ static int lane_row() {
    return lane_number() / 4 * 4;
  }
  __device__ static int lane_column() {
    return lane_number() % 4 * 4;
  }

  // Calls body(column of the warp's part, the lane's four entries of it).
  template <class Body>
  __device__ void for_columns(const Body& body) {
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      body(lane_column() + c / 4 * second_four + c % 4, column_[c]);
    }
  }

  Fragment<float>& fragment_;
  float* const place_;
  Four column_[lane_columns];
};

}  // namespace lufact::gpu
