// SPDX-License-Identifier: BSD-3-Clause
// The tile of a product of floats whose factors are rounded to lower numbers, for tensor cores;
// sums are floats. In memory and in panels of shared memory factors are floats.
#pragma once
#include "gpu/dense/ours/product_tiles.cuh"

namespace lufact::gpu::blocked {

// Fragments of mma.m16n8k8 with TF32 numbers, or of mma.m16n8k16 with 16-bit ones (PTX ISA, "Matrix
// Fragments"). left(k, i): entry in column k, row i of the left factor, from the lane's own row and
// depth on; right(k) likewise.
struct Tf32Fragments {
  static constexpr int depth = 8, left_count = 4, right_count = 2;
  static constexpr int lane_depth = 1;  // entries that a lane has beside each other in depth

  template <class Left>
  __device__ static void load_left(unsigned (&to)[left_count], const Left& left) {
#pragma unroll
    for (int part = 0; part < left_count; ++part) {
      to[part] = rounded(left(part / 2 * 4, part % 2 * 8));
    }
  }
  template <class Right>
  __device__ static void load_right(unsigned (&to)[right_count], const Right& right) {
    to[0] = rounded(right(0));
    to[1] = rounded(right(4));
  }
  __device__ static void multiply(float (&sum)[4], const unsigned (&left)[left_count],
                                  const unsigned (&right)[right_count]) {
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
        "{%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
#else
    __trap();
#endif
  }

 private:
  __device__ static unsigned rounded(float value) {
    unsigned bits = 0;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
#endif
    return bits;
  }
};

// Of two numbers of 16 bits in a register, the first in the lower half.
template <class Numbers>
struct PairFragments {
  static constexpr int depth = 16, left_count = 4, right_count = 2;
  static constexpr int lane_depth = 2;

  template <class Left>
  __device__ static void load_left(unsigned (&to)[left_count], const Left& left) {
#pragma unroll
    for (int part = 0; part < left_count; ++part) {
      const int k = part / 2 * 8, i = part % 2 * 8;
      to[part] = Numbers::rounded(left(k, i), left(k + 1, i));
    }
  }
  template <class Right>
  __device__ static void load_right(unsigned (&to)[right_count], const Right& right) {
    to[0] = Numbers::rounded(right(0), right(1));
    to[1] = Numbers::rounded(right(8), right(9));
  }
  __device__ static void multiply(float (&sum)[4], const unsigned (&left)[left_count],
                                  const unsigned (&right)[right_count]) {
    Numbers::multiply(sum, left, right);
  }
};

#if __CUDA_ARCH__ >= 800
#define LUFACT_MULTIPLY_PAIRS(numbers)                                                  \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." numbers "." numbers             \
               ".f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"                \
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                 \
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), \
                 "r"(right[1]))
#define LUFACT_ROUND_PAIR(numbers) \
  asm("cvt.rn." numbers "x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first))
#else
#define LUFACT_MULTIPLY_PAIRS(numbers) __trap()
#define LUFACT_ROUND_PAIR(numbers) bits = static_cast<unsigned>(first + second)
#endif

struct HalfNumbers {
  __device__ static unsigned rounded(float first, float second) {
    unsigned bits;
    LUFACT_ROUND_PAIR("f16");
    return bits;
  }
  __device__ static void multiply(float (&sum)[4], const unsigned (&left)[4],
                                  const unsigned (&right)[2]) {
    LUFACT_MULTIPLY_PAIRS("f16");
  }
};
struct BfloatNumbers {
  __device__ static unsigned rounded(float first, float second) {
    unsigned bits;
    LUFACT_ROUND_PAIR("bf16");
    return bits;
  }
  __device__ static void multiply(float (&sum)[4], const unsigned (&left)[4],
                                  const unsigned (&right)[2]) {
    LUFACT_MULTIPLY_PAIRS("bf16");
  }
};

#undef LUFACT_MULTIPLY_PAIRS
#undef LUFACT_ROUND_PAIR

using HalfFragments = PairFragments<HalfNumbers>;
using BfloatFragments = PairFragments<BfloatNumbers>;

// 128 x 128 on eight warps of 64 x 32, each 4 x 4 blocks of 16 x 8. Leading dimensions: no
// conflicts of banks for the lanes' rows and depths, four lanes of each row.
template <class Fragments>
struct LowerTile {
  using Entry = float;
  static constexpr int rows = 128, columns = 128, threads = 256, stages = 3;
  static constexpr int blocks_per_multiprocessor = 2;
  static constexpr int left_leading = rows + 8 / Fragments::lane_depth;
  static constexpr int right_leading = panel_depth + 4;

  float entry[4][4][4];  // by block column, block row, place in the fragment

  __device__ static int lane() { return static_cast<int>(threadIdx.x % warp_size); }
  __device__ static int first_row() { return static_cast<int>(threadIdx.x / warp_size % 2) * 64; }
  __device__ static int first_column() {
    return static_cast<int>(threadIdx.x / (2 * warp_size)) * 32;
  }

  template <class Body>
  __device__ void for_each(const Body& body) {
    const int row = first_row() + lane() / 4, column = first_column() + lane() % 4 * 2;
#pragma unroll
    for (int y = 0; y < 4; ++y) {
#pragma unroll
      for (int x = 0; x < 4; ++x) {
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          body(row + x * 16 + part / 2 * 8, column + y * 8 + part % 2, entry[y][x][part]);
        }
      }
    }
  }

  __device__ void add(const float* left, const float* right) {
    const int depth = lane() % 4 * Fragments::lane_depth;
    left += depth * left_leading + first_row() + lane() / 4;
    right += (first_column() + lane() / 4) * right_leading + depth;
#pragma unroll
    for (int k = 0; k < panel_depth; k += Fragments::depth) {
      unsigned factor[4][Fragments::left_count];
#pragma unroll
      for (int x = 0; x < 4; ++x) {
        Fragments::load_left(factor[x], [&](int deeper, int row) {
          return left[(k + deeper) * left_leading + x * 16 + row];
        });
      }
#pragma unroll
      for (int y = 0; y < 4; ++y) {
        unsigned other[Fragments::right_count];
        Fragments::load_right(
            other, [&](int deeper) { return right[y * 8 * right_leading + k + deeper]; });
#pragma unroll
        for (int x = 0; x < 4; ++x) Fragments::multiply(entry[y][x], factor[x], other);
      }
    }
  }
};

}  // namespace lufact::gpu::blocked
