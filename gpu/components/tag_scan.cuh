// SPDX-License-Identifier: BSD-3-Clause
// Finding tags: coalesced scans, four tags a thread.
#pragma once
#include "gpu/components/thread_group.cuh"

namespace lufact::gpu {

inline constexpr Index tags_per_load = 4;

// Bit k is set where tags[at + k] == tag and low <= at + k < high. `at` is a multiple of 4, and the
// array is aligned to 16 bytes and padded to a multiple of 4 tags.
__device__ inline unsigned tagged_mask(const Index* tags, Index at, Index tag, Index low,
                                       Index high) {
  if (at >= high) return 0;
  const int4 four = *reinterpret_cast<const int4*>(tags + at);
  unsigned mask = (four.x == tag ? 1u : 0u) | (four.y == tag ? 2u : 0u) |
                  (four.z == tag ? 4u : 0u) | (four.w == tag ? 8u : 0u);
  if (at < low) mask &= 0xfu << (low - at);
  if (high - at < tags_per_load) mask &= (1u << (high - at)) - 1;
  return mask;
}

// The smallest vertex in [low, high) that has `tag`, or -1. A barrier of the group.
template <int kThreads>
__device__ Index find_first_tagged(const ThreadGroup<kThreads>& group, const Index* tags, Index tag,
                                   Index low, Index high) {
  for (Index window = low & ~(tags_per_load - 1); window < high;
       window += tags_per_load * kThreads) {
    const Index at = window + tags_per_load * group.rank();
    const unsigned mask = tagged_mask(tags, at, tag, low, high);
    const Index found = group.first(mask == 0 ? -1 : at + __ffs(mask) - 1);
    if (found >= 0) return found;
  }
  return -1;
}

// Writes the `count` vertices of [low, high) that have `tag` to `out` in ascending order.
template <int kThreads>
__device__ void emit_tagged(const ThreadGroup<kThreads>& group, const Index* tags, Index tag,
                            Index low, Index high, Index count, Index* out) {
  Index emitted = 0;
  for (Index window = low & ~(tags_per_load - 1); window < high && emitted < count;
       window += tags_per_load * kThreads) {
    const Index at = window + tags_per_load * group.rank();
    unsigned mask = tagged_mask(tags, at, tag, low, high);
    const GroupScan<Index> place = group.scan(__popc(mask));
    for (Index next = emitted + place.before; mask != 0; mask &= mask - 1) {
      out[next++] = at + __ffs(mask) - 1;
    }
    emitted += place.total;
  }
}

}  // namespace lufact::gpu
