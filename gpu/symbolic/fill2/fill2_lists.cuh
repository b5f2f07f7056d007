// SPDX-License-Identifier: BSD-3-Clause
// Lists gone through by all threads of a warp together.
#pragma once
#include "gpu/components/thread_group.cuh"

namespace lufact::gpu {

struct ListRange {
  Index begin = 0, end = 0;

  __device__ bool is_wide() const { return end - begin >= warp_size; }
};

// Calls visit(valid, owner, items[p]) for every p in the range of every thread whose range is not
// wide; `owner` is that thread's lane. The items of all ranges are laid end to end and dealt out,
// so that the work is even. The whole warp must call this function, and calls visit together:
// threads without an item pass valid = false.
template <class Visit>
__device__ void for_each_in_narrow(const ListRange& range, const Index* items, Visit visit) {
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const Index length = range.is_wide() ? 0 : range.end - range.begin;
  if (!__any_sync(full_warp, length > 0)) return;
  Index ends = length;  // of this thread's items in the order of all
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const Index other = __shfl_up_sync(full_warp, ends, distance);
    if (lane >= distance) ends += other;
  }
  const Index total = __shfl_sync(full_warp, ends, warp_size - 1);
  const Index shift = range.begin - (ends - length);  // item k of all is items[k + shift]
  for (Index first = 0; first < total; first += warp_size) {
    const Index item = first + lane;
    int owner = 0;  // the first thread whose items end beyond `item`
    for (int half = warp_size / 2; half > 0; half /= 2) {
      if (__shfl_sync(full_warp, ends, owner + half - 1) <= item) owner += half;
    }
    const Index p = item + __shfl_sync(full_warp, shift, owner);
    const bool valid = item < total;
    visit(valid, owner, valid ? items[p] : 0);
  }
}

// The same, as visit(valid, items[p]), for one range of any length, which all threads pass alike.
// The next items are fetched while visit works on the current ones.
template <class Visit>
__device__ void for_each_in_wide(const ListRange& range, const Index* items, Visit visit) {
  Index p = range.begin + static_cast<int>(threadIdx.x) % warp_size;
  Index next = p < range.end ? items[p] : 0;
  for (Index first = range.begin; first < range.end; first += warp_size, p += warp_size) {
    const Index item = next;
    if (p + warp_size < range.end) next = items[p + warp_size];
    visit(p < range.end, item);
  }
}

}  // namespace lufact::gpu
