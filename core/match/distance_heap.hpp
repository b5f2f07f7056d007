// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// Heap of vertices by distance, smallest first, with four children per node: a level costs one
// cache line. A vertex whose distance has become smaller is pushed again, and whoever takes the
// top sees from the distance that an item is out of date; to keep track of places in the heap,
// each move of an item would have to write to its vertex.
class DistanceHeap {
 public:
  struct Item {
    double distance;
    Index vertex;
  };

  bool empty() const noexcept { return items_.empty(); }
  const Item& top() const noexcept { return items_.front(); }
  void push(double distance, Index vertex);
  void pop() noexcept;
  void clear() noexcept { items_.clear(); }

 private:
  std::vector<Item> items_;
};

}  // namespace lufact
