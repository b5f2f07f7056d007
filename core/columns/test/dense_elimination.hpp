// SPDX-License-Identifier: BSD-3-Clause
// Brute force on dense arrays: what the CPU line is compared with. Nothing here is shared with it.
#pragma once
#include <cstdint>
#include <vector>

#include "core/pipeline/column_products.hpp"

namespace lufact::test {

template <class T>
class Dense {
 public:
  explicit Dense(Index n) : n_(n), entries_(static_cast<std::size_t>(n) * size(), T{}) {}
  std::size_t size() const noexcept { return static_cast<std::size_t>(n_); }
  T& operator()(std::size_t i, std::size_t j) { return entries_[i * size() + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return entries_[i * size() + j]; }

 private:
  Index n_;
  std::vector<T> entries_;
};

using DensePattern = Dense<std::uint8_t>;

// The pattern of L + U of `b`, by elimination on a full array.
DensePattern eliminate_pattern(const CsrPattern& b);
CsrPattern to_csr(const DensePattern& pattern);

// Levels of the columns under a rule, from the rule's definition for every pair and triple.
std::vector<Index> dense_levels(const DensePattern& pattern, DependencyRule rule);

// row_scale B col_scale.
Dense<long double> scaled_dense(const PermutedMatrix& b);
// Right-looking LU without pivoting, in place.
void eliminate_values(Dense<long double>& a);

}  // namespace lufact::test
