// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/raw_vector.hpp"
#include "core/base/types.hpp"

namespace lufact {

// What stands where nothing is to be written; no stage leaves it in a result.
template <class T>
constexpr T guard_value = T(-0x1.5a5a5ap+90);
template <>
inline constexpr std::int32_t guard_value<std::int32_t> = -0x5a5a5a5b;

// An array on a boundary of 64 bytes between two zones of `guard` guard values. Its memory is first
// touched by who fills it.
template <class T>
class GuardedArray {
 public:
  GuardedArray() = default;
  // Throws std::bad_alloc or Error{oom_host, "size_overflow"}.
  GuardedArray(Offset size, Offset guard) : size_(size), guard_(guard) {
    constexpr std::size_t alignment = 64;
    const std::size_t bytes = checked_bytes(size + 2 * guard, sizeof(T)) + alignment;
    storage_.resize(bytes / sizeof(T));
    void* place = storage_.data() + guard;
    std::size_t space = storage_.size() * sizeof(T) - at(guard) * sizeof(T);
    data_ = static_cast<T*>(std::align(alignment, at(size) * sizeof(T), place, space));
    std::fill_n(data_ - guard, guard, guard_value<T>);
    std::fill_n(data_ + size, guard, guard_value<T>);
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  Offset size() const noexcept { return size_; }
  std::uint64_t bytes() const noexcept { return storage_.size() * sizeof(T); }

  bool guards_intact() const noexcept {
    const auto intact = [](T value) { return value == guard_value<T>; };
    return std::all_of(data_ - guard_, data_, intact) &&
           std::all_of(data_ + size_, data_ + size_ + guard_, intact);
  }

 private:
  RawVector<T> storage_;
  T* data_ = nullptr;
  Offset size_ = 0, guard_ = 0;
};

}  // namespace lufact
