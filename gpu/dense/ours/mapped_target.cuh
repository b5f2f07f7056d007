// SPDX-License-Identifier: BSD-3-Clause
// What a tile of mapped_tile.cuh does to the target.
#pragma once
#include "gpu/dense/ours/mapped_tile.cuh"

namespace lufact::gpu::blocked {

// The part of the target that a tile takes its sums from.
template <class Tile>
class MappedTarget {
 public:
  __device__ MappedTarget(const Product<double>& product, Index row, Index column)
      : first_(product.target + column * product.ld_target + row),
        ld_(product.ld_target),
        rows_(min(product.rows - row, Index{Tile::rows})),
        columns_(min(product.columns - column, Index{Tile::columns})) {}

  // Asks for it in the second-level cache, where it should be when the sums are complete.
  __device__ void prefetch() const {
    constexpr int line = 128 / sizeof(double), lines = Tile::rows / line;
    static_assert(Tile::columns * lines % Tile::threads == 0);
#pragma unroll
    for (int first = 0; first < Tile::columns * lines; first += Tile::threads) {
      const int k = first + static_cast<int>(threadIdx.x);
      const int i = k % lines * line, j = k / lines;
      if (i < rows_ && j < columns_) {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(first_ + j * ld_ + i));
      }
    }
  }

  __device__ void subtract(const MappedLane<Tile>& lane, const MappedSums<Tile>& sums) const {
    const int row = lane.row + 2 * lane.group, column = lane.column + lane.member;
    double* const own = first_ + column * ld_ + row;
    const bool whole = rows_ == Tile::rows && columns_ == Tile::columns;
    const bool even =
        reinterpret_cast<std::uintptr_t>(first_) % sizeof(double2) == 0 && ld_ % 2 == 0;
    if (whole && even) {
      subtract_rows<2>(sums, [&](int i, int j) {
        return WholePair{reinterpret_cast<double2*>(own + j * ld_ + i)};
      });
    } else {
      subtract_rows<1>(sums, [&](int i, int j) {
        return OpenPair{own + j * ld_ + i, column + j < columns_ ? rows_ - row - i : 0};
      });
    }
  }

 private:
  using Pairs = double2[Tile::column_blocks][2];

  // Two neighbours in a column.
  struct WholePair {
    double2* place;
    __device__ double2 load() const { return __ldcg(place); }
    __device__ void store(double2 pair) const { __stcg(place, pair); }
  };
  // Two of which none, one or both are in the target, on any boundary.
  struct OpenPair {
    double* place;
    int count;
    __device__ double2 load() const {
      return make_double2(count > 0 ? __ldcg(place) : 0, count > 1 ? __ldcg(place + 1) : 0);
    }
    __device__ void store(double2 pair) const {
      if (count > 0) __stcg(place, pair.x);
      if (count > 1) __stcg(place + 1, pair.y);
    }
  };

  // place(i, j): the pair so many rows and columns from the lane's first one. So many
  // block rows of the target are on their way at a time.
  template <int blocks_ahead, class Place>
  __device__ static void subtract_rows(const MappedSums<Tile>& sums, const Place& place) {
    Pairs pairs[blocks_ahead];
#pragma unroll
    for (int x = 0; x < blocks_ahead; ++x) load(pairs[x], x, place);
#pragma unroll
    for (int x = 0; x < Tile::row_blocks; ++x) {
      Pairs& old = pairs[x % blocks_ahead];
#pragma unroll
      for (int y = 0; y < Tile::column_blocks; ++y) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const double2 sum = sums.pair(x, y, half);
          place(x * 16, y * 8 + half * 4)
              .store(make_double2(old[y][half].x - sum.x, old[y][half].y - sum.y));
        }
      }
      if (x + blocks_ahead < Tile::row_blocks) load(old, x + blocks_ahead, place);
    }
  }
  template <class Place>
  __device__ static void load(Pairs& to, int x, const Place& place) {
#pragma unroll
    for (int y = 0; y < Tile::column_blocks; ++y) {
#pragma unroll
      for (int half = 0; half < 2; ++half) to[y][half] = place(x * 16, y * 8 + half * 4).load();
    }
  }

  double* first_;
  Offset ld_;
  int rows_, columns_;
};

}  // namespace lufact::gpu::blocked
