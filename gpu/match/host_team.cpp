// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/match/host_team.hpp"

#include <numeric>

namespace lufact::gpu {

std::vector<Offset> HostTeam::visits(Offset count) const {
  std::vector<Offset> numbers(at(count));
  std::iota(numbers.begin(), numbers.end(), Offset{0});
  order_(numbers);
  return numbers;
}

// Takes in the changes of a round and lowers the bound to the end of the bucket in which the
// `wanted`-th free column is.
void HostTeam::bound_distances(const MatchArrays& m, std::int32_t round, Index wanted,
                               std::array<std::int32_t, DistanceBuckets::count>& totals) {
  std::int32_t* const changes = m.histogram + (round & 1) * DistanceBuckets::count;
  bool changed = false;
  for (int b = 0; b < DistanceBuckets::count; ++b) {
    changed |= changes[b] != 0;
    totals[at(b)] += changes[b];
    changes[b] = 0;
  }
  if (!changed) return;
  Offset within = 0;
  for (int b = 0; b < DistanceBuckets::count; ++b) {
    within += totals[at(b)];
    if (within < wanted) continue;
    m.counters->bound = lesser(m.counters->bound, DistanceBuckets::last(b));
    return;
  }
}

}  // namespace lufact::gpu
