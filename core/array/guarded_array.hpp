// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/base/raw_vector.hpp"
#include "core/base/types.hpp"
#include "core/pipeline/host_array.hpp"

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
  // In page-locked memory where `memory` is not empty. Throws std::bad_alloc,
  // Error{oom_host, "size_overflow"} or, where no memory can be locked,
  // Error{oom_host, "page_locked"}.
  GuardedArray(Offset size, Offset guard, const PageLockedMemory& memory = {})
      : size_(size), guard_(guard) {
    constexpr std::size_t alignment = 64;
    bytes_ = checked_bytes(size + 2 * guard, sizeof(T)) + alignment;
    void* place = static_cast<T*>(allocate(memory)) + guard;
    std::size_t space = bytes_ - at(guard) * sizeof(T);
    data_ = static_cast<T*>(std::align(alignment, at(size) * sizeof(T), place, space));
    std::fill_n(data_ - guard, guard, guard_value<T>);
    std::fill_n(data_ + size, guard, guard_value<T>);
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  Offset size() const noexcept { return size_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

  bool guards_intact() const noexcept {
    const auto intact = [](T value) { return value == guard_value<T>; };
    return std::all_of(data_ - guard_, data_, intact) &&
           std::all_of(data_ + size_, data_ + size_ + guard_, intact);
  }

 private:
  void* allocate(const PageLockedMemory& memory) {
    if (!memory) {
      storage_.resize(bytes_ / sizeof(T));
      return storage_.data();
    }
    locked_ = memory(bytes_);
    if (locked_) return locked_.get();
    throw Error(Outcome::oom_host, "page_locked",
                "the system gives no page-locked memory of " + format_byte_size(bytes_) +
                    "; give --data host, or the process more memory that it may lock");
  }

  RawVector<T> storage_;
  std::shared_ptr<void> locked_;
  std::size_t bytes_ = 0;
  T* data_ = nullptr;
  Offset size_ = 0, guard_ = 0;
};

}  // namespace lufact
