// SPDX-License-Identifier: BSD-3-Clause
// Words of bits over the columns of a panel: bit c stands for the panel's column c.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "core/base/types.hpp"

namespace lufact {

using Word = std::uint64_t;
inline constexpr int panel_width = 64;
using WordBlock = std::array<Word, panel_width>;

constexpr Word bit(int b) noexcept {
  return Word{1} << b;
}
// Bits 0 .. b-1, for 0 <= b <= 64.
constexpr Word bits_below(int b) noexcept {
  return b == panel_width ? ~Word{0} : bit(b) - 1;
}
// Bits b+1 .. 63, for 0 <= b < 64.
constexpr Word bits_above(int b) noexcept {
  return (~Word{0} << b) << 1;
}

// Calls body(b) for every bit that is set, ascending.
template <class Body>
void for_each_bit(Word word, const Body& body) {
  for (; word != 0; word &= word - 1) body(std::countr_zero(word));
}

// Bit r of word c becomes bit c of word r: log2(64) rounds of block swaps (H. S. Warren, Hacker's
// Delight, section 7-3).
inline void transpose(WordBlock& block) noexcept {
  Word mask = ~Word{0} >> 32;
  for (std::size_t half = 32; half != 0; half /= 2, mask ^= mask << half) {
    for (std::size_t first = 0; first < block.size(); first += 2 * half) {
      for (std::size_t k = first; k < first + half; ++k) {
        const Word moved = ((block[k] >> half) ^ block[k + half]) & mask;
        block[k] ^= moved << half;
        block[k + half] ^= moved;
      }
    }
  }
}

// The first `width` words of the transpose of `count` words, whose bits lie below `width`. Further
// words of `block` are unspecified. Where words are few and narrow, bits are moved one by one.
inline void transpose(const Word* words, int count, int width, WordBlock& block) noexcept {
  constexpr int worthwhile_bits = 512;
  if (count * width < worthwhile_bits) {
    std::fill_n(block.begin(), width, Word{0});
    for (int r = 0; r < count; ++r) {
      for_each_bit(words[r], [&](int c) { block[static_cast<std::size_t>(c)] |= bit(r); });
    }
  } else {
    std::copy_n(words, count, block.begin());
    std::fill(block.begin() + count, block.end(), Word{0});
    transpose(block);
  }
}

// Appends first + b for every bit b of `word`, ascending; returns the new end.
inline Index* write_labels(Word word, Index first, Index* out) noexcept {
  const int lowest = std::countr_zero(word);
  const int count = std::popcount(word);
  if (word != 0 && word >> lowest == bits_below(count)) {
    for (int k = 0; k < count; ++k) out[k] = first + lowest + k;
    return out + count;
  }
  for_each_bit(word, [&](int b) { *out++ = first + b; });
  return out;
}

}  // namespace lufact
