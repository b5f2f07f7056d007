// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/pipeline/column_products.hpp"

namespace lufact {

// The pattern of B with labels that are a postorder of the elimination forest of B + B'. Where B
// brings its forest, B's labels are such a postorder and stay; else rows and columns are
// relabelled. B must outlive this. Throws Error{unsupported, "index_overflow"} for more than 2^31 -
// 1 entries.
class PostorderedPattern {
 public:
  PostorderedPattern(const PermutedMatrix& b, int threads);

  PatternView view() const noexcept { return label_.empty() ? b_.pattern.view() : moved_.view(); }
  // Parents in the forest, -1 for a root.
  std::span<const Index> forest() const noexcept { return label_.empty() ? b_.forest : forest_; }
  // label(k) is B's label of row k here, source(p) the position among B's entries of entry p here.
  Index label(Index k) const noexcept {
    return label_.empty() ? k : label_[static_cast<std::size_t>(k)];
  }
  Index source(Offset p) const noexcept {
    return label_.empty() ? static_cast<Index>(p) : source_[static_cast<std::size_t>(p)];
  }

 private:
  void move_rows(const std::vector<Index>& position, int threads);

  const PermutedMatrix& b_;
  // Empty where labels are B's.
  std::vector<Index> label_, forest_;
  CsrPattern moved_;
  std::vector<Index> source_;
};

}  // namespace lufact
