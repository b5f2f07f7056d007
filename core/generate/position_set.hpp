// SPDX-License-Identifier: BSD-3-Clause
// Where a matrix with an exact number of entries has them, for generators of matrices with the
// order and the entries of a published one.
#pragma once
#include <cstdint>
#include <functional>
#include <unordered_set>
#include <vector>

#include "core/base/types.hpp"
#include "core/generate/fixed_point.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact::generate {

// Positions by row, then by column, each once.
using Positions = std::vector<std::uint64_t>;

constexpr std::uint64_t position(Index row, Index col) noexcept {
  return static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(col);
}
constexpr Index row_of(std::uint64_t position) noexcept {
  return static_cast<Index>(position >> 32);
}
constexpr Index col_of(std::uint64_t position) noexcept {
  return static_cast<Index>(position & 0xffffffffU);
}

// Positions drawn at random until there are `size` of them.
class PositionSet {
 public:
  explicit PositionSet(Offset size) : size_(static_cast<std::size_t>(size)) {
    positions_.reserve(size_);
  }

  // False where the position is there already, or the set is full.
  bool add(Index row, Index col) {
    return left() > 0 && positions_.insert(position(row, col)).second;
  }
  Offset left() const noexcept { return static_cast<Offset>(size_ - positions_.size()); }
  Positions sorted() const;

 private:
  std::size_t size_;
  std::unordered_set<std::uint64_t> positions_;
};

// The matrix with these positions (sorted) whose entry in column own(row), which must be among
// them, dominates its row; the others are value(row, col).
CsrMatrix dominant_matrix(Index n, const Positions& positions,
                          const std::function<Index(Index row)>& own,
                          const std::function<Fixed(Index row, Index col)>& value);

}  // namespace lufact::generate
