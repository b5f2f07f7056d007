// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// A bijection of 0..n-1, checked when it is made. `old_of_new()[k]` is the old label that gets the
// new label k; `new_of_old()` is its inverse.
class Permutation {
 public:
  Permutation() = default;
  static Permutation identity(Index n);
  // Throws Error{error, "bad_permutation"} naming the first label that is out of range or repeated.
  static Permutation from_old_of_new(std::vector<Index> old_of_new);
  // From both arrays. Threads check them; throws std::invalid_argument where they are no inverses.
  static Permutation from_both(std::vector<Index> old_of_new, std::vector<Index> new_of_old);

  Index size() const noexcept { return static_cast<Index>(old_of_new_.size()); }
  std::span<const Index> old_of_new() const noexcept { return old_of_new_; }
  std::span<const Index> new_of_old() const noexcept { return new_of_old_; }
  Permutation inverse() const;
  bool is_identity() const noexcept;
  // First this, then `next`: the result's old labels are this one's old labels. Sizes must agree
  // (std::invalid_argument).
  Permutation then(const Permutation& next) const;

 private:
  std::vector<Index> old_of_new_, new_of_old_;
};

}  // namespace lufact
