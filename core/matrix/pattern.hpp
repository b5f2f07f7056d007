// SPDX-License-Identifier: BSD-3-Clause
// Sparsity patterns in compressed row form. A matrix in compressed column form is the compressed
// row form of its transpose; the name of a variable says which is meant (`by_row`, `by_column`).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// A view of a pattern: row i has the columns col_idx[row_ptr[i] .. row_ptr[i+1]).
struct PatternView {
  Index n_rows = 0, n_cols = 0;
  std::span<const Offset> row_ptr;  // n_rows + 1, row_ptr[0] = 0, not decreasing
  std::span<const Index> col_idx;   // row_ptr[n_rows], in [0, n_cols)

  Offset nnz() const noexcept { return row_ptr.empty() ? 0 : row_ptr.back(); }
  std::span<const Index> row(Index i) const noexcept {
    const auto begin = static_cast<std::size_t>(row_ptr[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(row_ptr[static_cast<std::size_t>(i) + 1]);
    return col_idx.subspan(begin, end - begin);
  }
};

struct CsrPattern {
  Index n_rows = 0, n_cols = 0;
  std::vector<Offset> row_ptr{0};
  std::vector<Index> col_idx;

  Offset nnz() const noexcept { return row_ptr.back(); }
  PatternView view() const noexcept { return {n_rows, n_cols, row_ptr, col_idx}; }
  std::span<const Index> row(Index i) const noexcept { return view().row(i); }
};

struct CsrMatrix {
  CsrPattern pattern;
  std::vector<double> values;  // one per entry of the pattern

  std::span<const double> row_values(Index i) const noexcept {
    const auto begin = static_cast<std::size_t>(pattern.row_ptr[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(pattern.row_ptr[static_cast<std::size_t>(i) + 1]);
    return std::span<const double>(values).subspan(begin, end - begin);
  }
};

// Empty where the view is a valid pattern with strictly ascending columns in each row; otherwise
// says which row breaks which rule. O(nnz).
std::string find_pattern_fault(const PatternView& pattern);

// The transposed pattern, columns ascending. O(n + nnz).
CsrPattern transpose(const PatternView& pattern);

// The transpose with, for each of its entries, the position in `pattern` that it came from, so that
// values can follow: values_of_transpose[q] = values[source[q]].
struct TransposedPattern {
  CsrPattern pattern;
  std::vector<Offset> source;
};
TransposedPattern transpose_with_source(const PatternView& pattern);

CsrMatrix transpose(const CsrMatrix& matrix);

// The pattern of A + A' without its diagonal, columns ascending: the graph that symmetric orderings
// work on. `pattern` must be square.
CsrPattern symmetric_graph(const PatternView& pattern);

// Position of column `col` in row `row` (ascending columns), or -1. O(log row length).
Offset find_entry(const PatternView& pattern, Index row, Index col) noexcept;

}  // namespace lufact
