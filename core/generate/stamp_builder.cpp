// SPDX-License-Identifier: BSD-3-Clause
#include "core/generate/stamp_builder.hpp"

namespace lufact::generate {

// A stable counting sort by row or column: O(n + stamps).
std::vector<StampBuilder::Stamp> StampBuilder::sorted_by(Index Stamp::*key,
                                                         const std::vector<Stamp>& stamps) const {
  std::vector<std::size_t> next(static_cast<std::size_t>(n_) + 1, 0);
  for (const Stamp& stamp : stamps) ++next[static_cast<std::size_t>(stamp.*key) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<Stamp> sorted(stamps.size());
  for (const Stamp& stamp : stamps) sorted[next[static_cast<std::size_t>(stamp.*key)]++] = stamp;
  return sorted;
}

CsrMatrix StampBuilder::take() const {
  const std::vector<Stamp> sorted = sorted_by(&Stamp::row, sorted_by(&Stamp::col, stamps_));
  CsrMatrix matrix;
  matrix.pattern.n_rows = n_;
  matrix.pattern.n_cols = n_;
  matrix.pattern.row_ptr.reserve(static_cast<std::size_t>(n_) + 1);
  std::size_t k = 0;
  for (Index i = 0; i < n_; ++i) {
    while (k < sorted.size() && sorted[k].row == i) {
      const Index col = sorted[k].col;
      Fixed sum = 0;
      for (; k < sorted.size() && sorted[k].row == i && sorted[k].col == col; ++k) {
        sum += sorted[k].value;
      }
      matrix.pattern.col_idx.push_back(col);
      matrix.values.push_back(to_double(sum));
    }
    matrix.pattern.row_ptr.push_back(static_cast<Offset>(matrix.pattern.col_idx.size()));
  }
  return matrix;
}

}  // namespace lufact::generate
