// SPDX-License-Identifier: BSD-3-Clause
// Access to an entry of a sorted sparse column.
#pragma once
#include "core/base/types.hpp"

namespace lufact::gpu {

// E2E Algorithm 6: the position of `row` among the ascending rows[begin .. end), or -1. The range
// is half open, which settles the two slips of the printed algorithm (the first `fe` and `fs = mid
// - 1`).
__device__ inline Offset find_row(const Index* rows, Offset begin, Offset end, Index row) {
  while (begin < end) {
    const Offset middle = begin + (end - begin) / 2;
    const Index there = rows[middle];
    if (there == row) return middle;
    if (there < row) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return -1;
}

// The last place p in [begin, end) with starts[p] <= value: the owner of item `value` where owner p
// has the items starts[p] .. starts[p+1). Needs starts[begin] <= value < starts[end].
__device__ inline Index find_owner(const Offset* starts, Index begin, Index end, Offset value) {
  while (end - begin > 1) {
    const Index middle = begin + (end - begin) / 2;
    if (starts[middle] <= value) {
      begin = middle;
    } else {
      end = middle;
    }
  }
  return begin;
}

// The owner of `value`, known to be at `place` or later: a short walk first, because a thread that
// goes through its items in order mostly needs the next place.
__device__ inline Index next_owner(const Offset* starts, Index place, Index end, Offset value) {
  constexpr int walk = 4;
  for (int step = 0; step < walk; ++step) {
    if (value < starts[place + 1]) return place;
    ++place;
  }
  return find_owner(starts, place, end, value);
}

}  // namespace lufact::gpu
