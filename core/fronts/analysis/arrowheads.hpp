// SPDX-License-Identifier: BSD-3-Clause
// The entries of a matrix by the pivot that assembles them.
#pragma once
#include <span>
#include <vector>

#include "core/base/uninitialized_array.hpp"
#include "core/matrix/pattern.hpp"

namespace lufact {

// The arrowhead of pivot k is row k from the diagonal on, kept in the matrix's own rows, and column
// k below the diagonal.
struct Arrowheads {
  PatternView rows;              // ascending, with all diagonal entries; outlives this
  std::vector<Offset> diagonal;  // position of (k, k) in rows.col_idx
  // Entries below the diagonal by columns: their rows, ascending, and positions in rows.col_idx.
  std::vector<Offset> column_ptr;
  UninitializedArray<Index> column_row, column_position;
  bool symmetric = false;  // column k below the diagonal has the rows that row k has as columns

  Index size() const noexcept { return rows.n_rows; }
  // Columns of row k right of the diagonal.
  std::span<const Index> right_of(Index k) const noexcept {
    const auto i = static_cast<std::size_t>(k);
    const auto begin = static_cast<std::size_t>(diagonal[i]) + 1;
    return rows.col_idx.subspan(begin, static_cast<std::size_t>(rows.row_ptr[i + 1]) - begin);
  }
  // Rows of column k below the diagonal.
  std::span<const Index> below(Index k) const noexcept {
    const auto i = static_cast<std::size_t>(k);
    return column_row.subspan(column_ptr[i], column_ptr[i + 1]);
  }
  // Entries of the arrowhead of pivot k.
  Offset count(Index k) const noexcept {
    const auto i = static_cast<std::size_t>(k);
    return rows.row_ptr[i + 1] - diagonal[i] + column_ptr[i + 1] - column_ptr[i];
  }
  // Calls body(later) for every neighbour of k in the graph of the matrix plus its transpose whose
  // number is above k, once or twice.
  template <class Body>
  void for_later(Index k, const Body& body) const {
    for (const Index later : right_of(k)) body(later);
    if (symmetric) return;
    for (const Index later : below(k)) body(later);
  }
};

// `rows` is square and has all diagonal entries. Throws Error{unsupported, "index_overflow"} for
// more than 2^31 - 1 entries. O(n + nnz) work, whatever the number of threads.
Arrowheads gather_arrowheads(const PatternView& rows, int threads);

}  // namespace lufact
