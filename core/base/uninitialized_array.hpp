// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "core/base/types.hpp"

namespace lufact {

// An array whose entries are written before they are read: its memory is first touched by the
// threads that fill it, where a vector would set it to zero on one thread.
template <class T>
class UninitializedArray {
 public:
  UninitializedArray() = default;
  // Throws std::bad_alloc or Error{oom_host, "size_overflow"}.
  explicit UninitializedArray(Offset size) : size_(size) {
    checked_bytes(size, sizeof(T));
    entries_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size));
  }

  Offset size() const noexcept { return size_; }
  T* data() noexcept { return entries_.get(); }
  const T* data() const noexcept { return entries_.get(); }
  T& operator[](Offset position) noexcept { return entries_[static_cast<std::size_t>(position)]; }
  const T& operator[](Offset position) const noexcept {
    return entries_[static_cast<std::size_t>(position)];
  }
  std::span<const T> subspan(Offset begin, Offset end) const noexcept {
    return {data() + begin, data() + end};
  }

 private:
  Offset size_ = 0;
  std::unique_ptr<T[]> entries_;
};

}  // namespace lufact
