// SPDX-License-Identifier: BSD-3-Clause
// Builds a matrix row by row, for generators whose rows are pure functions of their number.
#pragma once
#include <utility>
#include <vector>

#include "core/base/types.hpp"
#include "core/generate/fixed_point.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact::generate {

class RowBuilder {
 public:
  // A square matrix of order n with at most nnz_bound entries. Throws Error{oom_host} where their
  // size overflows.
  RowBuilder(Index n, Offset nnz_bound);

  // Adds an entry to the current row; each column at most once per row, in any order.
  void add(Index col, Fixed value) {
    row_.emplace_back(col, value);
    magnitude_ += value < 0 ? -value : value;
  }
  // Adds the diagonal entry of row i: the magnitudes of the row's entries so far plus `excess`, so
  // that a row is strictly dominant where excess > 0.
  void add_dominant_diagonal(Index i, Fixed excess) { add(i, magnitude_ + excess); }

  // Sorts and closes the current row; the next entry belongs to the next row.
  void end_row();

  // The finished matrix; every row must have been ended.
  CsrMatrix take();

 private:
  CsrMatrix matrix_;
  std::vector<std::pair<Index, Fixed>> row_;
  Fixed magnitude_ = 0;
};

}  // namespace lufact::generate
