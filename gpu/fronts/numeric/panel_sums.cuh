// SPDX-License-Identifier: BSD-3-Clause
// The sums of a tile while products of panels are added to them, one panel after the other. All of
// it is called by all threads of a block.
#pragma once
#include "gpu/fronts/numeric/tile_memory.cuh"
#include "gpu/fronts/numeric/tile_product.cuh"

namespace lufact::gpu {

struct FromZero {};

// They stay in the fragments that they are taken from and given back to.
template <class T>
class PanelSums {
 public:
  __device__ PanelSums(Fragment<T>& fragment, TileMemory<T>&) : sum_(fragment) {}
  __device__ PanelSums(Fragment<T>& fragment, T*, FromZero) : sum_(fragment) { sum_.clear(); }
  __device__ void add(const T* left, const T* right) { add_panel_product(sum_, left, right); }
  __device__ void give_back() {}

 private:
  Fragment<T>& sum_;
};

// Of floats half of the warps add the first half of each panel, the others the second one, and a
// lane has 8 x 8 sums, of rows and columns that follow each other in fours: so the 16 factors of 64
// products come by 4 loads of 16 bytes. In the fragments' layout 32 products take 8 loads.
template <>
class PanelSums<float> {
 public:
  // Through the tile's place, which is free behind the next barrier.
  __device__ PanelSums(Fragment<float>& fragment, TileMemory<float>& memory)
      : fragment_(fragment), place_(memory.entry) {
    __syncthreads();  // other warps may read their entries there until then
    for_fragment([](float& place, float& value) { place = value; });
    __syncthreads();
    for_fours([&](Four& place, Four& sum) { sum = is_first_half() ? place : Four{}; });
  }
  // Through `place`, which is written behind a barrier.
  __device__ PanelSums(Fragment<float>& fragment, float* place, FromZero)
      : fragment_(fragment), place_(place) {
    for_fours([](Four&, Four& sum) { sum = {}; });
  }

  __device__ void add(const float* left, const float* right) {
    const int first = is_first_half() ? 0 : product_depth / 2;
    left += first * tile_leading + lane_row();
    right += first * tile_leading + lane_column();
#pragma unroll 4
    for (int k = 0; k < product_depth / 2; ++k, left += tile_leading, right += tile_leading) {
      const Four rows[2] = {four_at(left), four_at(left + second_rows)};
      const Four columns[2] = {four_at(right), four_at(right + second_columns)};
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) {
#pragma unroll
        for (int r = 0; r < lane_rows; ++r) {
          sum_[c][r / 4].entry[r % 4] += rows[r / 4].entry[r % 4] * columns[c / 4].entry[c % 4];
        }
      }
    }
  }

  // The sums of the first half and those of the second one, through the tile's place, which is free
  // on return.
  __device__ void give_back() {
    __syncthreads();
    if (!is_first_half()) for_fours([](Four& place, const Four& sum) { place = sum; });
    __syncthreads();
    if (is_first_half()) {
      for_fours([](Four& place, const Four& sum) {
        const Four other = place;
        place = {sum.entry[0] + other.entry[0], sum.entry[1] + other.entry[1],
                 sum.entry[2] + other.entry[2], sum.entry[3] + other.entry[3]};
      });
    }
    __syncthreads();
    for_fragment([](const float& place, float& value) { value = place; });
    __syncthreads();
  }

 private:
  struct alignas(16) Four {
    float entry[4];
  };
  static constexpr int lane_rows = 8, lane_columns = 8, second_rows = 32, second_columns = 16;

  __device__ static Four four_at(const float* from) {
    return *reinterpret_cast<const Four*>(from);
  }
  __device__ static bool is_first_half() {
    return warp_number() < tile_warps / 2;
  }
  __device__ static int lane_row() {
    return lane_number() / 4 * 4;
  }
  __device__ static int lane_column() {
    return warp_number() % 2 * warp_tile + lane_number() % 4 * 4;
  }

  // Calls body(place of four entries, the lane's sums of them).
  template <class Body>
  __device__ void for_fours(const Body& body) {
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      const int column = lane_column() + c / 4 * second_columns + c % 4;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = lane_row() + half * second_rows;
        body(*reinterpret_cast<Four*>(place_ + column * tile_leading + row), sum_[c][half]);
      }
    }
  }
  // Calls body(place, entry of the lane's fragment).
  template <class Body>
  __device__ void for_fragment(const Body& body) {
    float* const own = place_ + BlockGroup::first_column() * tile_leading + BlockGroup::first_row();
    fragment_.for_each([&](int i, int j, float& value) { body(own[j * tile_leading + i], value); });
  }

  Fragment<float>& fragment_;
  float* const place_;
  Four sum_[lane_columns][2];
};

}  // namespace lufact::gpu
