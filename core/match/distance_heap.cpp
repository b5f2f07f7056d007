// SPDX-License-Identifier: BSD-3-Clause
#include "core/match/distance_heap.hpp"

#include <algorithm>

namespace lufact {

void DistanceHeap::push(double distance, Index vertex) {
  std::size_t slot = items_.size();
  items_.push_back({distance, vertex});
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / 4;
    if (items_[parent].distance <= distance) break;
    items_[slot] = items_[parent];
    slot = parent;
  }
  items_[slot] = {distance, vertex};
}

void DistanceHeap::pop() noexcept {
  const Item last = items_.back();
  items_.pop_back();
  const std::size_t size = items_.size();
  if (size == 0) return;
  std::size_t slot = 0;
  for (std::size_t first = 1; first < size; first = 4 * slot + 1) {
    const std::size_t end = std::min(size, first + 4);
    std::size_t smallest = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (items_[child].distance < items_[smallest].distance) smallest = child;
    }
    if (last.distance <= items_[smallest].distance) break;
    items_[slot] = items_[smallest];
    slot = smallest;
  }
  items_[slot] = last;
}

}  // namespace lufact
