// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "gpu/numeric/level_codes.hpp"
#include "gpu/runtime/launch.cuh"

namespace lufact::gpu {
namespace {

constexpr Index words_per_read = 16;  // 64 bytes, one control read
constexpr Index codes_per_read = level_codes_per_word * words_per_read;

}  // namespace

Buffer<unsigned> make_level_codes(DeviceSession& session, Index levels) {
  Buffer<unsigned> codes(session, MemoryRole::scratch,
                         ceil_div(levels, codes_per_read) * words_per_read, "codes of levels");
  codes.fill_bytes(0);
  return codes;
}

std::vector<unsigned> read_level_codes(DeviceSession& session, const Buffer<unsigned>& codes,
                                       Index levels) {
  using Words = std::array<unsigned, words_per_read>;
  std::vector<unsigned> result;
  result.reserve(static_cast<std::size_t>(levels));
  for (Index first = 0; first < levels; first += codes_per_read) {
    const auto packed = read_value(
        session, reinterpret_cast<const Words*>(codes.data() + first / level_codes_per_word));
    for (Index l = first; l < std::min(levels, first + codes_per_read); ++l) {
      const unsigned word = packed[static_cast<std::size_t>((l - first) / level_codes_per_word)];
      result.push_back(word >> (level_code_bits * (l % level_codes_per_word)) & largest_level_code);
    }
  }
  return result;
}

}  // namespace lufact::gpu
