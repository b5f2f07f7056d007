// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/symbolic/search/ooc_variant.hpp"

#include "gpu/symbolic/search/chunk_planner.hpp"

namespace lufact::gpu {
namespace {

// Tallies of ranges of rows, the list of probed rows, the prefix sum.
constexpr std::uint64_t counter_bytes = 32 << 10;

}  // namespace

WorkBytes work_bytes(const OocVariant& variant, Index n) {
  const std::uint64_t row = row_scratch_bytes(n, RowPart{0, n}.full_capacity());
  WorkBytes bytes;
  bytes.managed = variant.memory == MemoryKind::managed;
  const std::uint64_t beside = bytes.managed ? 0 : counter_bytes;
  bytes.all_rows = row * static_cast<std::uint64_t>(n) + beside;
  bytes.least = variant.all_rows_at_once ? bytes.all_rows : row + beside;
  return bytes;
}

}  // namespace lufact::gpu
