// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/base/random.hpp"
#include "core/base/types.hpp"

namespace lufact {

// `size` of `count` matrices, or all where there are no more: one of each of `size` equal shares,
// in ascending order. The same on host and device. count * size must fit in an Offset.
class BatchSample {
 public:
  BatchSample(std::uint64_t seed, Offset count, Offset size) noexcept
      : seed_(seed), count_(count), size_(std::min(count, size)) {}

  Offset size() const noexcept { return size_; }

  Offset operator[](Offset share) const noexcept {
    const Offset first = begin(share), width = begin(share + 1) - first;
    const std::uint64_t bits = hash64(seed_, static_cast<std::uint64_t>(share), 0x73616d706c65);
    return first + static_cast<Offset>(bits % static_cast<std::uint64_t>(width));
  }

  bool contains(Offset matrix) const noexcept {
    if (size_ == 0) return false;
    return (*this)[((matrix + 1) * size_ - 1) / count_] == matrix;
  }

 private:
  Offset begin(Offset share) const noexcept { return share * count_ / size_; }

  std::uint64_t seed_;
  Offset count_, size_;
};

}  // namespace lufact
