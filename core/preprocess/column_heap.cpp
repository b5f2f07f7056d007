// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/column_heap.hpp"

#include <algorithm>

namespace lufact {

void ColumnHeap::update(Index column) {
  const Item item{columns_[column].distance, column};
  if (columns_[column].heap_place < 0) {
    heap_.push_back(item);
    columns_[column].heap_place = static_cast<Index>(heap_.size()) - 1;
  }
  sift_up(item, columns_[column].heap_place);
}

void ColumnHeap::remove(Index column) noexcept {
  const Index slot = columns_[column].heap_place;
  const Item last = heap_.back();
  heap_.pop_back();
  columns_[column].heap_place = -1;
  if (last.column == column) return;
  if (slot > 0 && last.distance < heap_[(slot - 1) / 4].distance) {
    sift_up(last, slot);
  } else {
    sift_down(last, slot);
  }
}

void ColumnHeap::clear() noexcept {
  for (const Item& item : heap_) columns_[item.column].heap_place = -1;
  heap_.clear();
}

void ColumnHeap::sift_up(const Item& item, Index slot) noexcept {
  while (slot > 0) {
    const Index parent = (slot - 1) / 4;
    if (heap_[parent].distance <= item.distance) break;
    place(heap_[parent], slot);
    slot = parent;
  }
  place(item, slot);
}

void ColumnHeap::sift_down(const Item& item, Index slot) noexcept {
  const auto size = static_cast<Index>(heap_.size());
  while (slot < (size + 2) / 4) {  // the slot has a child
    const Index first = 4 * slot + 1;
    const Index end = std::min(size, first + 4);
    Index smallest = first;
    for (Index child = first + 1; child < end; ++child) {
      if (heap_[child].distance < heap_[smallest].distance) smallest = child;
    }
    if (item.distance <= heap_[smallest].distance) break;
    place(heap_[smallest], slot);
    slot = smallest;
  }
  place(item, slot);
}

}  // namespace lufact
