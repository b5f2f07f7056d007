// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// A set of vertices 0 .. n-1 that is walked in ascending order while it grows: bits, and one more
// bit for every word of them that is not zero.
class FilledSet {
 public:
  explicit FilledSet(Index n);

  void insert(Index vertex) noexcept {
    words_[word_of(vertex)] |= bit_of(vertex);
    summary_[word_of(vertex) / 64] |= std::uint64_t{1} << (word_of(vertex) % 64);
  }
  // The smallest member that is at least `vertex`; n where there is none.
  Index next(Index vertex) const noexcept;
  void erase(Index vertex) noexcept;

 private:
  static std::size_t word_of(Index vertex) noexcept {
    return static_cast<std::size_t>(vertex) / 64;
  }
  static std::uint64_t bit_of(Index vertex) noexcept {
    return std::uint64_t{1} << (static_cast<std::size_t>(vertex) % 64);
  }

  Index n_;
  std::vector<std::uint64_t> words_, summary_;
};

}  // namespace lufact
