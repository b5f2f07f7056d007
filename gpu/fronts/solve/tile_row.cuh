// SPDX-License-Identifier: BSD-3-Clause
// A tile row of a front as one block sees it, whatever the number of right-hand sides.
#pragma once
#include "gpu/fronts/solve/sweep.cuh"

namespace lufact::gpu {

// Base is a sweep with values of type T. In a transposed one L and U change places: a tile of one
// is stored as that of the other is.
template <class T, class Base, bool transposed = false>
class TileRow : protected Base {
 protected:
  using Base::problem_, Base::shape_, Base::task_;

  template <class... Arguments>
  __device__ explicit TileRow(Index number, Arguments&&... arguments)
      : Base(arguments...), number_(number) {}

  static constexpr int parts = solve_threads / tile;         // of a tile's depth, forwards
  static constexpr int rows_per_warp = tile / solve_warps;   // backwards
  static constexpr int columns_per_lane = tile / warp_size;  // backwards

  __device__ bool pivot_row() const { return number_ < shape_.pivot_tiles; }
  // First row of a tile row in the front, contribution rows counted from 0 again; and its rows.
  __device__ Index first_of(Index number) const {
    return number < shape_.pivot_tiles ? number * shape_.pivot_width
                                       : (number - shape_.pivot_tiles) * shape_.row_width;
  }
  __device__ Index rows_of(Index number) const {
    return number < shape_.pivot_tiles ? min(shape_.pivot_width, shape_.pivots - first_of(number))
                                       : min(shape_.row_width, shape_.rows - first_of(number));
  }
  __device__ unsigned* flag_of(const SweepWords& words, Index k) const {
    return words.flag + shape_.flags + lower_tile(shape_, k, k);
  }

  __device__ void wait_for_parent() const {
    const Index last = shape_.pivot_tiles - 1;
    Base::wait_for_parent(last < 0 ? nullptr : flag_of(problem_.lower, last));
  }

  // Position of this thread's row of tile row j; -1: j has no such contribution row.
  __device__ Index contribution_position(Index j) const {
    const Index i = static_cast<Index>(threadIdx.x);
    const bool there = j >= shape_.pivot_tiles && i < min(rows_of(j), tile);
    return there ? problem_.row[shape_.parent_rows + first_of(j) + i] : -1;
  }

  __device__ static int first_row() {
    return static_cast<int>(threadIdx.x) / warp_size * rows_per_warp;
  }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % warp_size; }

  // Tile k before the diagonal of this tile row, and tile j behind it, or on it.
  __device__ StoredTile<const T> tile_before(Index k) const {
    return transposed ? upper_stored<const T>(problem_.factors, shape_, k, number_)
                      : lower_stored<const T>(problem_.factors, shape_, number_, k);
  }
  __device__ StoredTile<const T> tile_behind(Index j) const {
    return transposed ? lower_stored<const T>(problem_.factors, shape_, j, number_)
                      : upper_stored<const T>(problem_.factors, shape_, number_, j);
  }

  // One thread's entries of a tile, loaded while the block waits for the vector that the tile
  // before is multiplied by.
  struct TilePart {
    T entry[tile * tile / solve_threads];
  };

  // Thread t: part t / 64 of row t % 64 of tile k of L in this tile row. Zero behind the last tile.
  __device__ TilePart part_by_columns(Index k) const {
    const bool there = k <= number_ && k < shape_.pivot_tiles;
    const StoredTile<const T> stored = tile_before(there ? k : 0);
    const int row = static_cast<int>(threadIdx.x) % tile;
    const int part = static_cast<int>(threadIdx.x) / tile, depth = shape_.pivot_width / parts;
    const T* const from = stored.entry + part * depth * stored.rows + row;
    const int own = there && row < stored.rows ? min(depth, stored.pivots - part * depth) : 0;
    TilePart result;
#pragma unroll
    for (int d = 0; d < tile / parts; ++d) {
      result.entry[d] = d < own ? from[d * stored.rows] : T(0);
    }
    return result;
  }
  // This thread's part of tile j of U in this tile row.
  __device__ TilePart part_by_rows(Index j) const {
    const StoredTile<const T> stored = tile_behind(j);
    TilePart result;
#pragma unroll
    for (int part = 0; part < columns_per_lane; ++part) {
#pragma unroll
      for (int r = 0; r < rows_per_warp; ++r) {
        const int row = first_row() + r, column = lane() + part * warp_size;
        const bool there = row < stored.pivots && column < stored.rows;
        result.entry[part * rows_per_warp + r] =
            there ? stored.entry[row * stored.rows + column] : T(0);
      }
    }
    return result;
  }

  Index number_;
};

}  // namespace lufact::gpu
