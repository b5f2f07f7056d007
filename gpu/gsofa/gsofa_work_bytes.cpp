// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/gsofa/gsofa_work_bytes.hpp"

#include "gpu/gsofa/gsofa_plan.hpp"

namespace lufact::gpu {
namespace {

// The plan divides its array in vectors of four words.
std::uint64_t whole_vectors(std::uint64_t words) {
  return (words + 3) / 4 * 4;
}

}  // namespace

WorkBytes gsofa_work_bytes(Index n) {
  constexpr std::uint64_t word = sizeof(MaxIdWord), queue_arrays = 4, queue_share = 64;
  const GsofaOptions defaults;
  const auto rows = static_cast<std::uint64_t>(n);
  const auto slot = static_cast<std::uint64_t>(gsofa_slot_words(n, defaults.layout).stride);
  const std::uint64_t beside = gsofa_row_bytes({.n = n, .chunk_size = defaults.chunk_size});
  WorkBytes bytes;
  bytes.least = word * whole_vectors(rows + slot + queue_arrays) + beside;
  // maxId is a triangle.
  const std::uint64_t row_words = rows / 2 + slot + queue_arrays * rows / queue_share;
  bytes.all_rows = word * whole_vectors(rows * row_words) + beside;
  return bytes;
}

}  // namespace lufact::gpu
