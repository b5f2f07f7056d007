// SPDX-License-Identifier: BSD-3-Clause
#include "core/generate/row_builder.hpp"

#include <algorithm>
#include <stdexcept>

namespace lufact::generate {

RowBuilder::RowBuilder(Index n, Offset nnz_bound) {
  checked_bytes(nnz_bound, sizeof(double) + sizeof(Index));
  const auto entries = static_cast<std::size_t>(nnz_bound);
  matrix_.pattern.n_rows = n;
  matrix_.pattern.n_cols = n;
  matrix_.pattern.row_ptr.reserve(static_cast<std::size_t>(n) + 1);
  matrix_.pattern.col_idx.reserve(entries);
  matrix_.values.reserve(entries);
}

void RowBuilder::end_row() {
  std::sort(row_.begin(), row_.end());
  for (const auto& [col, value] : row_) {
    matrix_.pattern.col_idx.push_back(col);
    matrix_.values.push_back(to_double(value));
  }
  matrix_.pattern.row_ptr.push_back(static_cast<Offset>(matrix_.pattern.col_idx.size()));
  row_.clear();
  magnitude_ = 0;
}

CsrMatrix RowBuilder::take() {
  if (matrix_.pattern.row_ptr.size() != static_cast<std::size_t>(matrix_.pattern.n_rows) + 1) {
    throw std::logic_error("a generator ended with rows missing");
  }
  return std::move(matrix_);
}

}  // namespace lufact::generate
