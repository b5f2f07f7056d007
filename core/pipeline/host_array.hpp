// SPDX-License-Identifier: BSD-3-Clause
// Host arrays that are copied to a device and back. The device copies page-locked arrays directly;
// others pass through buffers of the CUDA library.
#pragma once
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace lufact {

// Entries on the host, and whether their pages are locked; those of a plain array are not.
template <class T>
struct HostSpan {
  template <class Array>
  requires std::convertible_to<Array&&, std::span<T>> HostSpan(Array&& array)
      : entries(std::forward<Array>(array)) {}
  HostSpan(std::span<T> array, bool locked) : entries(array), page_locked(locked) {}

  std::span<T> entries;
  bool page_locked = false;
};

// Allocates `bytes` >= 1 bytes of page-locked memory, freed with its last owner; null where the
// system has none.
using PageLockedMemory = std::function<std::shared_ptr<void>(std::size_t bytes)>;

// Doubles on the host, zeros at first.
class HostArray {
 public:
  // In page-locked memory where `memory` is not empty and returns some, else in ordinary memory.
  HostArray(std::size_t size, const PageLockedMemory& memory);

  std::size_t size() const noexcept { return size_; }
  bool page_locked() const noexcept { return page_locked_; }
  std::span<double> entries() noexcept { return {data_.get(), size_}; }
  HostSpan<double> span() noexcept { return {entries(), page_locked_}; }
  HostSpan<const double> const_span() noexcept { return {entries(), page_locked_}; }

 private:
  std::size_t size_;
  std::shared_ptr<double[]> data_;
  bool page_locked_ = false;
};

}  // namespace lufact
