// SPDX-License-Identifier: BSD-3-Clause
// Vertices with a flag, for the threads of a parallel region. Flags, not lists: threads would have
// to agree on places in a list, and a list would hand a vertex to another core each time.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/order/graph/graph.hpp"

namespace lufact::nd {

// The first k in [begin, end) whose flag is not 0; `end` where there is none. Most are 0.
inline Index next_flagged(const Buffer<char>& flags, Index begin, Index end) noexcept {
  const char* const flag = flags.begin();
  for (std::uint64_t eight = 0; end - begin >= 8; begin += 8) {
    std::memcpy(&eight, flag + begin, sizeof(eight));
    if (eight == 0) continue;
    const bool low_first = std::endian::native == std::endian::little;
    return begin + (low_first ? std::countr_zero(eight) : std::countl_zero(eight)) / 8;
  }
  while (begin < end && flag[begin] == 0) ++begin;
  return begin;
}

// Calls body(v) for every vertex whose flag is not 0 and returns how many of this thread's calls
// returned true. All threads of the region must call this; they do not wait for one another. A
// vertex always falls to the same thread, here and in each_vertex, so that the thread's cache has
// the vertex's data. The body must not write flags that other threads may be reading.
template <class Body>
Offset each_flagged(const Buffer<char>& flags, int threads, const Body& body) {
  const Offset n = flags.size(), block = turn_size(n, threads);
  Offset count = 0;
#pragma omp for schedule(static, 1) nowait
  for (Offset begin = 0; begin < n; begin += block) {
    const auto end = static_cast<Index>(std::min(begin + block, n));
    Index v = next_flagged(flags, static_cast<Index>(begin), end);
    for (; v < end; v = next_flagged(flags, v + 1, end)) count += body(v) ? 1 : 0;
  }
  return count;
}

// Calls body(v) for all n vertices, otherwise as each_flagged.
template <class Body>
Offset each_vertex(Offset n, int threads, const Body& body) {
  const int block = turn_size(n, threads);
  Offset count = 0;
#pragma omp for schedule(static, block) nowait
  for (Offset v = 0; v < n; ++v) count += body(static_cast<Index>(v)) ? 1 : 0;
  return count;
}

}  // namespace lufact::nd
