// SPDX-License-Identifier: BSD-3-Clause
// The tile of a product that a block holds in registers, and the panels of its factors in shared
// memory. Panel of the left factor: entry (i, k) at [k * left_leading + i]; of the right one:
// entry (k, j) at [j * right_leading + k], both as they lie in matrices stored by columns, so that
// all copies are of 16 bytes where the matrices are aligned to them.
#pragma once
#include "gpu/components/async_copy.cuh"
#include "gpu/components/double_mma.cuh"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu::blocked {

inline constexpr int panel_depth = 16;

// 64 x 64 on four warps of 32 x 32, each 4 x 4 blocks of 8 x 8, of which a lane has two entries of
// one row, as tensor cores hold an accumulator. Leading dimensions are 4 modulo 16: no conflicts of
// banks. Three blocks a multiprocessor hide each other's first copies and last stores.
struct DoubleTile {
  using Entry = double;
  static constexpr int rows = 64, columns = 64, threads = 128, stages = 4;
  static constexpr int blocks_per_multiprocessor = 3;
  static constexpr int left_leading = rows + 4, right_leading = panel_depth + 4;

  double entry[4][4][2];  // by block column, block row

  __device__ static int lane() { return static_cast<int>(threadIdx.x % warp_size); }
  __device__ static int first_row() { return static_cast<int>(threadIdx.x / warp_size % 2) * 32; }
  __device__ static int first_column() {
    return static_cast<int>(threadIdx.x / (2 * warp_size)) * 32;
  }

  // body(row, column, entry) for each of the thread's.
  template <class Body>
  __device__ void for_each(const Body& body) {
    const int row = first_row() + lane() / 4, column = first_column() + lane() % 4 * 2;
#pragma unroll
    for (int y = 0; y < 4; ++y) {
#pragma unroll
      for (int c = 0; c < 2; ++c) {
#pragma unroll
        for (int x = 0; x < 4; ++x) body(row + x * 8, column + y * 8 + c, entry[y][x][c]);
      }
    }
  }

  __device__ void add(const double* left, const double* right) {
#ifdef LUFACT_DOUBLE_TENSOR_CORES
    left += lane() % 4 * left_leading + first_row() + lane() / 4;
    right += (first_column() + lane() / 4) * right_leading + lane() % 4;
#pragma unroll
    for (int k = 0; k < panel_depth; k += 8) {
      double factor[2][4];
#pragma unroll
      for (int x = 0; x < 2; ++x) {
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          factor[x][part] = left[(k + part / 2 * 4) * left_leading + x * 16 + part % 2 * 8];
        }
      }
#pragma unroll
      for (int y = 0; y < 4; ++y) {
        const double* const from = right + y * 8 * right_leading + k;
        const double other[2] = {from[0], from[4]};
#pragma unroll
        for (int x = 0; x < 2; ++x) {
          multiply_16x8x8(entry[y][2 * x], entry[y][2 * x + 1], factor[x], other);
        }
      }
    }
#else
#pragma unroll 1
    for (int k = 0; k < panel_depth; ++k) {
      for_each([&](int row, int column, double& sum) {
        sum = fma(left[k * left_leading + row], right[column * right_leading + k], sum);
      });
    }
#endif
  }
};

// 128 x 128 on 256 threads, of each 8 x 8: two times four rows that follow each other, and every
// 16th column.
struct FloatTile {
  using Entry = float;
  static constexpr int rows = 128, columns = 128, threads = 256, stages = 3;
  static constexpr int blocks_per_multiprocessor = 2;
  static constexpr int left_leading = rows + 4, right_leading = panel_depth + 4;

  float entry[8][2][4];  // by column, half of the rows, row

  __device__ static int first_row() { return static_cast<int>(threadIdx.x % 16U) * 4; }
  __device__ static int first_column() { return static_cast<int>(threadIdx.x / 16U); }

  template <class Body>
  __device__ void for_each(const Body& body) {
#pragma unroll
    for (int y = 0; y < 8; ++y) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int x = 0; x < 4; ++x) {
          body(first_row() + half * 64 + x, first_column() + y * 16, entry[y][half][x]);
        }
      }
    }
  }

  __device__ void add(const float* left, const float* right) {
    left += first_row();
    right += first_column() * right_leading;
#pragma unroll 2
    for (int k = 0; k < panel_depth; k += 4) {
      float4 other[8];
#pragma unroll
      for (int y = 0; y < 8; ++y) {
        other[y] = *reinterpret_cast<const float4*>(right + y * 16 * right_leading + k);
      }
      add_outer(left + k * left_leading, other, [](const float4& v) { return v.x; });
      add_outer(left + (k + 1) * left_leading, other, [](const float4& v) { return v.y; });
      add_outer(left + (k + 2) * left_leading, other, [](const float4& v) { return v.z; });
      add_outer(left + (k + 3) * left_leading, other, [](const float4& v) { return v.w; });
    }
  }

 private:
  template <class Part>
  __device__ void add_outer(const float* left, const float4 (&other)[8], const Part& part) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4 own = *reinterpret_cast<const float4*>(left + half * 64);
#pragma unroll
      for (int y = 0; y < 8; ++y) {
        const float factor = part(other[y]);
        float(&sum)[4] = entry[y][half];
        sum[0] = fmaf(own.x, factor, sum[0]);
        sum[1] = fmaf(own.y, factor, sum[1]);
        sum[2] = fmaf(own.z, factor, sum[2]);
        sum[3] = fmaf(own.w, factor, sum[3]);
      }
    }
  }
};

// A stage of the ring in shared memory.
template <class Tile>
struct ProductPanels {
  alignas(16) typename Tile::Entry left[panel_depth * Tile::left_leading];
  alignas(16) typename Tile::Entry right[Tile::columns * Tile::right_leading];
};

// Copies an array of `lines` lines of `length` entries, which follow each other in both memories,
// kPiece entries at a time; only the first `lines_inside` lines and the first `inside` entries of
// each are there, the rest becomes zero.
template <int kPiece, int lines, int length, int threads, class T>
__device__ void copy_lines(T* to, int to_leading, const T* from, Offset from_leading,
                           int lines_inside, int inside) {
  constexpr int pieces = length / kPiece;
  static_assert(lines * pieces % threads == 0);
#pragma unroll
  for (int first = 0; first < lines * pieces; first += threads) {
    const int p = first + static_cast<int>(threadIdx.x);
    const int line = p / pieces, entry = p % pieces * kPiece;
    const int left = line < lines_inside ? min(max(inside - entry, 0), kPiece) : 0;
    copy_part<kPiece* static_cast<int>(sizeof(T))>(
        to + line * to_leading + entry, left > 0 ? from + line * from_leading + entry : from,
        left * static_cast<int>(sizeof(T)));
  }
}

}  // namespace lufact::gpu::blocked
