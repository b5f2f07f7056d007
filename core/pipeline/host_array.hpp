// SPDX-License-Identifier: BSD-3-Clause
// Arrays on the host that go to a device and come back. Where their pages are locked the device
// copies them directly; others pass through pages of the library that copies.
#pragma once
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace lufact {

// Entries on the host, and whether their pages are locked. Any array of entries is one without.
template <class T>
struct HostSpan {
  template <class Array>
  requires std::convertible_to<Array&&, std::span<T>> HostSpan(Array&& array)
      : entries(std::forward<Array>(array)) {}
  HostSpan(std::span<T> array, bool locked) : entries(array), page_locked(locked) {}

  std::span<T> entries;
  bool page_locked = false;
};

// Gives page-locked memory of so many bytes, one or more, until its last owner goes; null where the
// system gives none.
using PageLockedMemory = std::function<std::shared_ptr<void>(std::size_t bytes)>;

// Doubles on the host, zeros at first.
class HostArray {
 public:
  // In page-locked memory where `memory` is there and has some.
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
