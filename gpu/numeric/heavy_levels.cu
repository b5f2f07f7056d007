// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include "gpu/numeric/heavy_levels.hpp"
#include "gpu/numeric/updates.cuh"

namespace lufact::gpu {
namespace {

constexpr int threads = 256;
constexpr Index word_bits = 32;
constexpr Index words_per_read = 16;  // 64 bytes, one control read
constexpr Index levels_per_read = word_bits * words_per_read;

// One thread per column: sets its level's bit where the column is heavy.
__global__ void mark_heavy_levels(FactorPattern pattern, const Index* level_of, Offset updates,
                                  unsigned* words) {
  const Offset column = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (column >= pattern.n) return;
  const ColumnWork work = column_work(pattern, static_cast<Index>(column));
  if (work.sub_count * work.l_count < updates) return;
  const Index level = level_of[column];
  atomicOr(words + level / word_bits, 1U << (level % word_bits));
}

}  // namespace

std::vector<bool> find_heavy_levels(DeviceSession& session, const FactorPattern& pattern,
                                    const DeviceColumnSchedule& schedule, Offset updates) {
  using Words = std::array<unsigned, words_per_read>;
  Buffer<unsigned> words(session, MemoryRole::scratch,
                         ceil_div(schedule.levels, levels_per_read) * words_per_read,
                         "marks of heavy levels");
  words.fill_bytes(0);
  launch(session, {ceil_div(pattern.n, threads), threads}, mark_heavy_levels, pattern,
         schedule.level_of.data(), updates, words.data());
  std::vector<bool> heavy;
  heavy.reserve(static_cast<std::size_t>(schedule.levels));
  for (Index first = 0; first < schedule.levels; first += levels_per_read) {
    const auto marks =
        read_value(session, reinterpret_cast<const Words*>(words.data() + first / word_bits));
    for (Index l = first; l < std::min(schedule.levels, first + levels_per_read); ++l) {
      const unsigned word = marks[static_cast<std::size_t>((l - first) / word_bits)];
      heavy.push_back((word >> (l % word_bits) & 1U) != 0);
    }
  }
  return heavy;
}

}  // namespace lufact::gpu
