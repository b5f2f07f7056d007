// SPDX-License-Identifier: BSD-3-Clause
// Where the bytes of a chunk of an array of the host are: the device has them one after the other.
#pragma once
#include <algorithm>
#include <cstddef>

#include "core/array/array_problem.hpp"

namespace lufact::gpu {

// An array of the host: `a`, `result` or `b`, or of numbers, which are contiguous.
struct HostMatrices {
  void* base = nullptr;  // of entries, or of addresses
  ArrayLayout layout = ArrayLayout::contiguous;
  Offset count = 0;  // of all matrices
  std::size_t entry_bytes = 0;
  Offset entries = 0;  // of a matrix, padding included
};

// Matrices [first, first + count) of it. In the memory of the device: contiguous, or interleaved
// with a stride of `count`; those behind addresses contiguous, in the order of the addresses.
class HostParts {
 public:
  HostParts(const HostMatrices& array, Offset first, Offset count) noexcept
      : array_(array), first_(first), count_(count) {}

  std::size_t bytes() const noexcept {
    return at(count_) * at(array_.entries) * array_.entry_bytes;
  }
  // Pieces of equal length that make up the chunk, in the order of the device.
  std::size_t piece_bytes() const noexcept {
    switch (array_.layout) {
      case ArrayLayout::contiguous:
        break;
      case ArrayLayout::interleaved:
        return at(count_) * array_.entry_bytes;
      case ArrayLayout::pointers:
        return at(array_.entries) * array_.entry_bytes;
    }
    return bytes();
  }
  std::byte* piece(std::size_t number) const noexcept {
    auto* const base = static_cast<std::byte*>(array_.base);
    switch (array_.layout) {
      case ArrayLayout::contiguous:
        break;
      case ArrayLayout::interleaved:
        return base + number * pitch() + at(first_) * array_.entry_bytes;
      case ArrayLayout::pointers:
        return static_cast<std::byte**>(array_.base)[at(first_) + number];
    }
    return base + at(first_) * at(array_.entries) * array_.entry_bytes;
  }
  // Bytes from one piece to the next, where they are as far apart everywhere: not of pointers.
  std::size_t pitch() const noexcept {
    return array_.layout == ArrayLayout::interleaved ? at(array_.count) * array_.entry_bytes
                                                     : bytes();
  }

  // Calls take(place on the host, offset from `begin`, bytes) for the parts of bytes
  // [begin, begin + bytes) of the chunk.
  template <class Take>
  void for_each(std::size_t begin, std::size_t bytes, const Take& take) const {
    const std::size_t length = piece_bytes();
    for (std::size_t done = 0; done < bytes;) {
      const std::size_t number = (begin + done) / length, within = (begin + done) % length;
      const std::size_t some = std::min(length - within, bytes - done);
      take(piece(number) + within, done, some);
      done += some;
    }
  }

 private:
  HostMatrices array_;
  Offset first_, count_;
};

}  // namespace lufact::gpu
