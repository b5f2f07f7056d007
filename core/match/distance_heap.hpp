// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// Heap of vertices by distance, smallest first, with four children per node: a level costs one
// cache line. A vertex whose distance has become smaller is pushed again; the caller recognises an
// outdated item by its distance. Keeping each vertex's place in the heap instead would cost a write
// to the vertex for each move of an item.
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
