// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <limits>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// What the search for augmenting paths keeps of a column, together so that one cache line serves
// one visit.
struct MatchingColumn {
  double dual = 0;
  double distance = std::numeric_limits<double>::infinity();
  Offset entry = -1;        // entry through which the column was reached
  Index reached_from = -1;  // its row
  Index row = -1;           // matched row
  Index heap_place = -1;    // place in the heap; -1: not there
};

// Heap of columns by distance, smallest first, with decrease-key. Four children per node and the
// distances beside the columns: a level costs one cache line.
class ColumnHeap {
 public:
  explicit ColumnHeap(std::vector<MatchingColumn>& columns) : columns_(columns) {}

  bool empty() const noexcept { return heap_.empty(); }
  Index top() const noexcept { return heap_.front().column; }
  void pop() noexcept { remove(heap_.front().column); }
  // Inserts the column, or moves it up after its distance has become smaller.
  void update(Index column);
  void remove(Index column) noexcept;
  void clear() noexcept;

 private:
  struct Item {
    double distance;
    Index column;
  };
  void place(const Item& item, Index slot) noexcept {
    heap_[slot] = item;
    columns_[item.column].heap_place = slot;
  }
  void sift_up(const Item& item, Index slot) noexcept;
  void sift_down(const Item& item, Index slot) noexcept;

  std::vector<MatchingColumn>& columns_;
  std::vector<Item> heap_;
};

}  // namespace lufact
