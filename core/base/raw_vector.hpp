// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace lufact {

// Leaves an element that is made without a value unset.
template <class T>
struct RawAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = RawAllocator<U>;
  };

  RawAllocator() = default;
  template <class U>
  explicit(false) RawAllocator(const RawAllocator<U>&) noexcept {}

  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

// A vector whose resize() leaves new elements unset, for large arrays that several threads fill:
// a vector of the library would set them to zero first, and map their pages, on one thread.
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace lufact
