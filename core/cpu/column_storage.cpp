// SPDX-License-Identifier: BSD-3-Clause
#include "core/cpu/column_storage.hpp"

namespace lufact {

ColumnStorage columns_of(const ColumnPattern& pattern) {
  ColumnStorage storage;
  storage.columns = transpose(pattern.rows.view());
  storage.diagonal.resize(static_cast<std::size_t>(pattern.rows.n_rows));
  for (Index j = 0; j < pattern.rows.n_rows; ++j) {
    storage.diagonal[static_cast<std::size_t>(j)] = find_entry(storage.columns.view(), j, j);
  }
  return storage;
}

TransposedPattern input_columns(const PermutedMatrix& matrix) {
  return transpose_with_source(matrix.pattern.view());
}

}  // namespace lufact
