// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <span>

#include "core/base/types.hpp"

namespace lufact::nd {

// An array whose pages are first touched by the threads that fill it: its elements hold nothing
// until they are written.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Offset size)
      : data_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size))), size_(size) {}

  T& operator[](Offset k) noexcept { return data_[k]; }
  const T& operator[](Offset k) const noexcept { return data_[k]; }
  Offset size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* begin() noexcept { return data_.get(); }
  T* end() noexcept { return data_.get() + size_; }
  const T* begin() const noexcept { return data_.get(); }
  const T* end() const noexcept { return data_.get() + size_; }

 private:
  std::unique_ptr<T[]> data_;
  Offset size_ = 0;
};

}  // namespace lufact::nd
