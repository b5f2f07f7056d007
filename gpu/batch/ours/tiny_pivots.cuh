// SPDX-License-Identifier: BSD-3-Clause
// When elimination in place may lose digits. A pivot that is tiny leaves the rows above it with a
// large multiple of its row; a second one divides what rounding left of that. Where the inverse is
// not as large as both reciprocals together make it, the residual is up to 1 / (the second smallest
// pivot) as large as it should be (Peters and Wilkinson, On the stability of Gauss-Jordan
// elimination with pivoting, 1975). One tiny pivot does no harm.
#pragma once
#include "gpu/batch/ours/pivot_search.cuh"

namespace lufact::gpu::ours {

// How much smaller than its row and column of A the second smallest pivot may be, as a power of
// two: of the 30 epsilon that verification allows, elimination in place mostly takes less than 0.1.
inline constexpr int tiny_pivot_exponents = 7;

// The second largest of the keys that the own group's lanes have, R each and none negative. All
// lanes call it.
template <class Lanes, int G, int R>
LUFACT_LANE std::int32_t second_largest(const std::int32_t (&key)[R]) {
  std::int32_t first = key[0], second = 0;
  LUFACT_UNROLL
  for (int r = 1; r < R; ++r) {
    const std::int32_t smaller = first < key[r] ? first : key[r];
    first = first < key[r] ? key[r] : first;
    second = second < smaller ? smaller : second;
  }
  const std::int32_t largest = Lanes::template largest<G>(first);
  const unsigned holders = of_group<Lanes, G>(Lanes::ballot(first == largest));
  const bool leaves = highest_bit(holders) == Lanes::lane();
  return Lanes::template largest<G>(leaves ? second : first);
}

}  // namespace lufact::gpu::ours
