// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lufact {
namespace {

// Row pointers of the transpose: an exclusive prefix sum over the column counts.
std::vector<Offset> column_pointers(const PatternView& pattern) {
  std::vector<Offset> ptr(at(pattern.n_cols) + 1, 0);
  for (const Index j : pattern.col_idx) ++ptr[at(j) + 1];
  for (std::size_t j = 0; j + 1 < ptr.size(); ++j) ptr[j + 1] += ptr[j];
  return ptr;
}

}  // namespace

std::string find_pattern_fault(const PatternView& pattern) {
  if (pattern.n_rows < 0 || pattern.n_cols < 0) return "negative size";
  if (pattern.row_ptr.size() != at(pattern.n_rows) + 1) return "row_ptr has the wrong length";
  if (pattern.row_ptr[0] != 0) return "row_ptr does not start at 0";
  for (Index i = 0; i < pattern.n_rows; ++i) {
    if (pattern.row_ptr[at(i) + 1] < pattern.row_ptr[at(i)]) {
      return fmt::format("row_ptr decreases at row {}", i);
    }
  }
  if (pattern.col_idx.size() != at(pattern.nnz())) return "col_idx has the wrong length";
  for (Index i = 0; i < pattern.n_rows; ++i) {
    Index previous = -1;
    for (const Index j : pattern.row(i)) {
      if (j < 0 || j >= pattern.n_cols) return fmt::format("row {} has column {}", i, j);
      if (j <= previous) return fmt::format("row {} is not ascending at column {}", i, j);
      previous = j;
    }
  }
  return {};
}

TransposedPattern transpose_with_source(const PatternView& pattern) {
  TransposedPattern result;
  result.pattern.n_rows = pattern.n_cols;
  result.pattern.n_cols = pattern.n_rows;
  result.pattern.row_ptr = column_pointers(pattern);
  result.pattern.col_idx.resize(pattern.col_idx.size());
  result.source.resize(pattern.col_idx.size());
  std::vector<Offset> next(result.pattern.row_ptr.begin(), result.pattern.row_ptr.end() - 1);
  for (Index i = 0; i < pattern.n_rows; ++i) {
    for (Offset p = pattern.row_ptr[at(i)]; p < pattern.row_ptr[at(i) + 1]; ++p) {
      const Offset q = next[at(pattern.col_idx[at(p)])]++;
      result.pattern.col_idx[at(q)] = i;
      result.source[at(q)] = p;
    }
  }
  return result;
}

CsrPattern transpose(const PatternView& pattern) {
  CsrPattern result;
  result.n_rows = pattern.n_cols;
  result.n_cols = pattern.n_rows;
  result.row_ptr = column_pointers(pattern);
  result.col_idx.resize(pattern.col_idx.size());
  std::vector<Offset> next(result.row_ptr.begin(), result.row_ptr.end() - 1);
  for (Index i = 0; i < pattern.n_rows; ++i) {
    for (const Index j : pattern.row(i)) result.col_idx[at(next[at(j)]++)] = i;
  }
  return result;
}

CsrMatrix transpose(const CsrMatrix& matrix) {
  TransposedPattern transposed = transpose_with_source(matrix.pattern.view());
  CsrMatrix result;
  result.pattern = std::move(transposed.pattern);
  result.values.resize(matrix.values.size());
  for (std::size_t q = 0; q < result.values.size(); ++q) {
    result.values[q] = matrix.values[at(transposed.source[q])];
  }
  return result;
}

CsrPattern symmetric_graph(const PatternView& pattern) {
  const CsrPattern transposed = transpose(pattern);
  CsrPattern graph;
  graph.n_rows = graph.n_cols = pattern.n_rows;
  graph.row_ptr.assign(at(pattern.n_rows) + 1, 0);
  graph.col_idx.reserve(2 * pattern.col_idx.size());
  for (Index i = 0; i < pattern.n_rows; ++i) {
    const auto row = pattern.row(i);
    const auto column = transposed.row(i);
    std::set_union(row.begin(), row.end(), column.begin(), column.end(),
                   std::back_inserter(graph.col_idx));
    const auto begin = graph.col_idx.begin() + graph.row_ptr[at(i)];
    const auto diagonal = std::lower_bound(begin, graph.col_idx.end(), i);
    if (diagonal != graph.col_idx.end() && *diagonal == i) graph.col_idx.erase(diagonal);
    graph.row_ptr[at(i) + 1] = static_cast<Offset>(graph.col_idx.size());
  }
  return graph;
}

Offset find_entry(const PatternView& pattern, Index row, Index col) noexcept {
  const auto columns = pattern.row(row);
  const auto found = std::lower_bound(columns.begin(), columns.end(), col);
  if (found == columns.end() || *found != col) return -1;
  return pattern.row_ptr[at(row)] + (found - columns.begin());
}

}  // namespace lufact
