// SPDX-License-Identifier: BSD-3-Clause
// Layout of a tile in the registers of its threads and in shared memory. A warp holds 32 x 32
// entries as 4 x 4 blocks of 8 x 8; of each block a lane holds two entries of one row, which is how
// double precision tensor cores hold an accumulator. Float tiles lie the same way.
#pragma once
#include "core/pipeline/front_tasks.hpp"
#include "gpu/components/thread_group.cuh"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {

inline constexpr int tile = tile_order;
inline constexpr int tile_threads = 128;  // of a block: 2 x 2 warps make a tile
inline constexpr int tile_warps = tile_threads / warp_size;
inline constexpr int warp_tile = 32;  // rows and columns that a warp holds
inline constexpr int block_order = 8;
inline constexpr int warp_blocks = warp_tile / block_order;

// Leading dimensions in shared memory: 4 modulo 16, so that neither operand of a product has bank
// conflicts; rows stay aligned to 16 bytes.
inline constexpr int tile_leading = tile + 4;
inline constexpr int warp_leading = warp_tile + 4;

// Warp in the block, lane in the warp. Unsigned division is a shift.
__device__ inline int warp_number() {
  return static_cast<int>(threadIdx.x / unsigned{warp_size});
}
__device__ inline int lane_number() {
  return static_cast<int>(threadIdx.x % unsigned{warp_size});
}

// Place of a lane's two entries in a block.
struct LanePlace {
  int row, column;  // in a block; its second entry is in the next column

  __device__ LanePlace()
      : row(static_cast<int>(threadIdx.x % unsigned{warp_size} / 4U)),
        column(static_cast<int>(threadIdx.x % 4U * 2U)) {}
};

// Two entries that are loaded and stored at once.
template <class T>
struct alignas(2 * sizeof(T)) TwoEntries {
  T first, second;
};

// One lane's part of 32 x 32 entries.
template <class T>
struct Fragment {
  T entry[warp_blocks][warp_blocks][2];  // by block column, block row

  __device__ void clear() {
    for_each([](int, int, T& value) { value = T(0); });
  }

  // Calls body(row, column, entry) for each entry of the lane, rows and columns from 0.
  template <class Body>
  __device__ void for_each(const Body& body) {
    const LanePlace lane;
    for_each_block([&](int first_row, int first_column, T(&pair)[2]) {
      body(first_row + lane.row, first_column + lane.column, pair[0]);
      body(first_row + lane.row, first_column + lane.column + 1, pair[1]);
    });
  }
  // Calls body(first row, first column, entries) for the lane's two entries of each block.
  template <class Body>
  __device__ void for_each_block(const Body& body) {
#pragma unroll
    for (int y = 0; y < warp_blocks; ++y) {
#pragma unroll
      for (int x = 0; x < warp_blocks; ++x) body(x * block_order, y * block_order, entry[y][x]);
    }
  }
};

// Four warps on a tile of 64 x 64, or one on a tile of 32 x 32. sync_and_vote() is a barrier that
// tells whether all threads have brought `true`.
struct BlockGroup {
  static constexpr int leading = tile_leading;
  static constexpr int order = tile;
  static constexpr int threads = tile_threads;
  __device__ static int rank() { return static_cast<int>(threadIdx.x); }
  __device__ static int warp() { return warp_number(); }
  __device__ static int first_row() {
    return static_cast<int>(threadIdx.x / unsigned{warp_size} % 2U) * warp_tile;
  }
  __device__ static int first_column() {
    return static_cast<int>(threadIdx.x / (2U * warp_size)) * warp_tile;
  }
  __device__ static void sync() { __syncthreads(); }
  __device__ static bool sync_and_vote(bool value) { return __syncthreads_and(value ? 1 : 0) != 0; }
};
struct WarpGroup {
  static constexpr int leading = warp_leading;
  static constexpr int order = warp_tile;
  static constexpr int threads = warp_size;
  __device__ static int rank() { return lane_number(); }
  __device__ static int warp() { return 0; }
  __device__ static int first_row() { return 0; }
  __device__ static int first_column() { return 0; }
  __device__ static void sync() { __syncwarp(); }
  __device__ static bool sync_and_vote(bool value) {
    __syncwarp();
    return __all_sync(full_warp, value) != 0;
  }
};

}  // namespace lufact::gpu
