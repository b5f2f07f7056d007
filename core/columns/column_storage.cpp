// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/column_storage.hpp"

#include <algorithm>

#include "core/matrix/counting_sort.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// On a pattern closed under fill, U(k,k+1) != 0 puts the rows of L(:,k) below k+1 into column k+1,
// so that equal counts mean equal rows.
bool joins_next(const ColumnStorage& storage, std::size_t k) {
  const auto& ptr = storage.columns.row_ptr;
  const auto& rows = storage.columns.col_idx;
  const Offset lower = ptr[k + 1] - storage.diagonal[k] - 1;
  const Offset next_lower = ptr[k + 2] - storage.diagonal[k + 1] - 1;
  const auto next = static_cast<Index>(k) + 1;
  return next_lower > 0 && lower == next_lower + 1 && rows[at(storage.diagonal[k] + 1)] == next &&
         storage.diagonal[k + 1] > ptr[k + 1] && rows[at(storage.diagonal[k + 1] - 1)] == next - 1;
}

std::vector<Index> find_blocks(const ColumnStorage& storage) {
  const std::size_t n = storage.diagonal.size();
  std::vector<Index> block_end(n);
  for (std::size_t k = n; k-- > 0;) {
    const bool joined = k + 1 < n && joins_next(storage, k);
    block_end[k] = joined ? block_end[k + 1] : static_cast<Index>(k) + 1;
  }
  return block_end;
}

}  // namespace

ColumnStorage columns_of(const ColumnPattern& pattern, int threads) {
  const CsrPattern& rows = pattern.rows;
  const int parts = std::max(1, threads);
  const std::vector<Index> first = balanced_ranges(rows.row_ptr, parts);
  CountingSort positions(parts, rows.n_cols);
  parallel_for(parts, parts, [&](Offset part) {
    positions.clear(part);
    Offset* const counts = positions.counts(part);
    const Offset end = rows.row_ptr[at(first[at(part + 1)])];
    for (Offset p = rows.row_ptr[at(first[at(part)])]; p < end; ++p) {
      ++counts[at(rows.col_idx[at(p)])];
    }
  });
  ColumnStorage storage;
  storage.columns.n_rows = storage.columns.n_cols = rows.n_rows;
  storage.columns.row_ptr.resize(at(rows.n_cols) + 1);
  positions.to_positions(storage.columns.row_ptr, parts);
  storage.columns.col_idx.resize(rows.col_idx.size());
  storage.diagonal.resize(at(rows.n_rows));
  parallel_for(parts, parts, [&](Offset part) {
    Offset* const position = positions.counts(part);
    Index* const out = storage.columns.col_idx.data();
    for (Index i = first[at(part)]; i < first[at(part + 1)]; ++i) {
      storage.diagonal[at(i)] = position[i];
      for (const Index j : rows.row(i)) out[position[j]++] = i;
    }
  });
  storage.block_end = find_blocks(storage);
  return storage;
}

TransposedPattern input_columns(const PermutedMatrix& matrix) {
  return transpose_with_source(matrix.pattern.view());
}

}  // namespace lufact
