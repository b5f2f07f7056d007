// SPDX-License-Identifier: BSD-3-Clause
// Places for blocks that come and go in a range of units that starts at 0 and grows at its end. The
// units are the caller's: entries, bytes. Nothing is stored but the places.
#pragma once
#include <map>

#include "core/base/types.hpp"

namespace lufact {

class BlockHeap {
 public:
  // Begin of a place for `size` units: the first free piece that is large enough, otherwise the end
  // of the heap, which grows. A free piece at the end becomes part of the place.
  Offset take(Offset size);
  // Of a place that take() has given.
  void give_back(Offset begin, Offset size);
  // Whether no place that is taken meets [begin, end). Nothing is taken behind the end of the heap.
  bool is_free(Offset begin, Offset end) const;

  // The most that places have reached to. It never shrinks.
  Offset size() const noexcept { return size_; }

 private:
  Offset grow(Offset size);

  std::map<Offset, Offset> free_;  // sizes by their begin; no two touch
  Offset size_ = 0;
};

}  // namespace lufact
