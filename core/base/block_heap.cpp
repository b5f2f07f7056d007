// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/block_heap.hpp"

#include <algorithm>
#include <iterator>

namespace lufact {

Offset BlockHeap::take(Offset size) {
  const auto found = std::find_if(free_.begin(), free_.end(),
                                  [&](const auto& piece) { return piece.second >= size; });
  if (found == free_.end()) return grow(size);
  const auto [begin, room] = *found;
  free_.erase(found);
  if (room > size) free_.emplace(begin + size, room - size);
  return begin;
}

void BlockHeap::give_back(Offset begin, Offset size) {
  if (size == 0) return;
  auto next = free_.lower_bound(begin);
  if (next != free_.end() && next->first == begin + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      before->second += size;
      return;
    }
  }
  free_.emplace(begin, size);
}

bool BlockHeap::is_free(Offset begin, Offset end) const {
  const Offset last = std::min(end, size_);
  if (begin >= last) return true;
  const auto next = free_.upper_bound(begin);
  if (next == free_.begin()) return false;
  const auto& [first, room] = *std::prev(next);
  return last <= first + room;
}

Offset BlockHeap::grow(Offset size) {
  Offset begin = size_;
  if (!free_.empty()) {
    const auto last = std::prev(free_.end());
    if (last->first + last->second == size_) {
      begin = last->first;
      free_.erase(last);
    }
  }
  size_ = begin + size;
  return begin;
}

}  // namespace lufact
