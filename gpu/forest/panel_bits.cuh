// SPDX-License-Identifier: BSD-3-Clause
// Words of bits over the columns of a panel: bit c stands for the panel's column c.
#pragma once
#include <cstdint>

#include "gpu/components/thread_group.cuh"

namespace lufact::gpu {

using Word = std::uint32_t;
inline constexpr int panel_width = 32;

__host__ __device__ constexpr Word bit(int b) {
  return Word{1} << b;
}
// Bits 0 .. b-1, for 0 <= b <= 32.
__host__ __device__ constexpr Word bits_below(int b) {
  return b == panel_width ? ~Word{0} : bit(b) - 1;
}
// Bits b+1 .. 31, for 0 <= b < 32.
__host__ __device__ constexpr Word bits_above(int b) {
  return (~Word{0} << b) << 1;
}
__device__ inline int lowest_bit(Word word) {
  return __ffs(static_cast<int>(word)) - 1;
}

// Calls body(b) for every bit that is set, ascending.
template <class Body>
__device__ void for_each_bit(Word word, const Body& body) {
  for (; word != 0; word &= word - 1) body(lowest_bit(word));
}

// Bit r of lane c's word becomes bit c of lane r's word. Called by all lanes of the warp.
__device__ inline Word transpose(Word word, int lane) {
  Word low_half = 0x0000ffffu;
  for (int half = warp_size / 2; half > 0; half /= 2, low_half ^= low_half << half) {
    const Word other = __shfl_xor_sync(full_warp, word, half);
    word = (lane & half) == 0 ? (word & low_half) | ((other & low_half) << half)
                              : (word & ~low_half) | ((other & ~low_half) >> half);
  }
  return word;
}

}  // namespace lufact::gpu
