// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/glu3/fill2/filled_set.hpp"

#include <bit>

namespace lufact {
namespace {

std::uint64_t from_bit(std::uint64_t word, std::size_t bit) noexcept {
  return word & (~std::uint64_t{0} << bit);
}

std::size_t lowest(std::uint64_t word) noexcept {
  return static_cast<std::size_t>(std::countr_zero(word));
}

}  // namespace

FilledSet::FilledSet(Index n)
    : n_(n), words_(static_cast<std::size_t>(n) / 64 + 1, 0), summary_(words_.size() / 64 + 1, 0) {}

Index FilledSet::next(Index vertex) const noexcept {
  std::size_t word = word_of(vertex);
  std::uint64_t bits = from_bit(words_[word], static_cast<std::size_t>(vertex) % 64);
  if (bits == 0) {
    std::size_t group = (word + 1) / 64;
    if (group >= summary_.size()) return n_;
    std::uint64_t rest = from_bit(summary_[group], (word + 1) % 64);
    while (rest == 0) {
      if (++group == summary_.size()) return n_;
      rest = summary_[group];
    }
    word = 64 * group + lowest(rest);
    bits = words_[word];
  }
  return static_cast<Index>(64 * word + lowest(bits));
}

void FilledSet::erase(Index vertex) noexcept {
  std::uint64_t& word = words_[word_of(vertex)];
  word &= ~bit_of(vertex);
  if (word == 0) {
    summary_[word_of(vertex) / 64] &= ~(std::uint64_t{1} << (word_of(vertex) % 64));
  }
}

}  // namespace lufact
