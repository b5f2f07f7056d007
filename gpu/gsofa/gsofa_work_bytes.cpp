// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_work_bytes.hpp"

#include "gpu/gsofa/gsofa_plan.hpp"

namespace lufact::gpu {

WorkBytes gsofa_work_bytes(Index n) {
  constexpr std::uint64_t word = sizeof(MaxIdWord), queue_arrays = 4, queue_share = 64;
  const GsofaOptions defaults;
  const auto rows = static_cast<std::uint64_t>(n);
  const auto slot = static_cast<std::uint64_t>(gsofa_slot_words(n, defaults.layout).stride);
  const std::uint64_t beside = gsofa_row_bytes({.n = n, .chunk_size = defaults.chunk_size});
  WorkBytes bytes;
  bytes.least = word * (rows + slot + queue_arrays) + beside;
  // maxId is a triangle.
  bytes.all_rows = word * rows * (rows / 2 + slot + queue_arrays * rows / queue_share) + beside;
  return bytes;
}

}  // namespace lufact::gpu
