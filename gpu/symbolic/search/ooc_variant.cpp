// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/ooc_variant.hpp"

#include <algorithm>

#include "gpu/symbolic/search/chunk_planner.hpp"

namespace lufact::gpu {
namespace {

// Tallies of the chunks (two counters each), the list of probed rows, the prefix sum.
std::uint64_t counter_bytes(Index n) {
  constexpr std::uint64_t lists = 4096;
  return static_cast<std::uint64_t>(std::min(n, most_tallies)) * 2 * sizeof(Index) + lists;
}

}  // namespace

WorkBytes work_bytes(const OocVariant& variant, Index n) {
  const std::uint64_t row = row_scratch_bytes(n, RowPart{0, n}.full_capacity());
  WorkBytes bytes;
  bytes.managed = variant.memory == MemoryKind::managed;
  const std::uint64_t beside = bytes.managed ? 0 : counter_bytes(n);
  bytes.all_rows = row * static_cast<std::uint64_t>(n) + beside;
  bytes.least = variant.all_rows_at_once ? bytes.all_rows : row + beside;
  return bytes;
}

}  // namespace lufact::gpu
