// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/permute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lufact {
namespace {

constexpr Offset parallel_from = 1
                                 << 17;  // below this many entries threads cost more than they save

// Where the diagonal entry of each of B's rows is absent from A.
std::vector<char> absent_diagonals(const CsrPattern& a, const PermutedMatrix& b) {
  const auto rows = b.rows.old_of_new();
  const auto cols = b.cols.old_of_new();
  std::vector<char> absent(static_cast<std::size_t>(a.n_rows));
#pragma omp parallel for schedule(static) if (a.nnz() >= parallel_from)
  for (Index k = 0; k < a.n_rows; ++k) absent[k] = find_entry(a.view(), rows[k], cols[k]) < 0;
  return absent;
}

void set_row_pointers(const CsrPattern& a, const std::vector<char>& absent, PermutedMatrix& b) {
  b.pattern.n_rows = b.pattern.n_cols = a.n_rows;
  b.pattern.row_ptr.assign(static_cast<std::size_t>(a.n_rows) + 1, 0);
  for (Index k = 0; k < a.n_rows; ++k) {
    const auto length = static_cast<Offset>(a.row(b.rows.old_of_new()[k]).size());
    b.pattern.row_ptr[k + 1] = b.pattern.row_ptr[k] + length + absent[k];
    b.missing_diagonals_added += absent[k];
  }
  b.pattern.col_idx.resize(static_cast<std::size_t>(b.pattern.nnz()));
  b.source.resize(static_cast<std::size_t>(b.pattern.nnz()));
}

using Entry = std::pair<Index, Offset>;  // B's column, position in A

// Fills row k of B's pattern and its sources; `entries` is workspace.
void fill_row(const CsrPattern& a, Index k, bool diagonal_absent, PermutedMatrix& b,
              std::vector<Entry>& entries) {
  const auto new_col = b.cols.new_of_old();
  const Index row = b.rows.old_of_new()[k];
  entries.clear();
  for (Offset p = a.row_ptr[row]; p < a.row_ptr[row + 1]; ++p) {
    entries.emplace_back(new_col[a.col_idx[p]], p);
  }
  if (diagonal_absent) entries.emplace_back(k, -1);
  std::sort(entries.begin(), entries.end());
  Offset q = b.pattern.row_ptr[k];
  for (const auto& [column, position] : entries) {
    b.pattern.col_idx[q] = column;
    b.source[q++] = position;
  }
}

void fill_pattern(const CsrPattern& a, const std::vector<char>& absent, PermutedMatrix& b) {
#pragma omp parallel if (a.nnz() >= parallel_from)
  {
    std::vector<Entry> entries;
#pragma omp for schedule(dynamic, 512)
    for (Index k = 0; k < a.n_rows; ++k) fill_row(a, k, absent[k] != 0, b, entries);
  }
}

std::vector<double> permuted(std::span<const double> values, std::span<const Index> old_of_new) {
  std::vector<double> result(values.size());
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = values[old_of_new[k]];
  return result;
}

double scaled_row_sum(const PermutedMatrix& b, Index i) {
  double sum = 0;
  for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
    sum += std::abs(b.row_scale[i] * b.values[p] * b.col_scale[b.pattern.col_idx[p]]);
  }
  return sum;
}

// Values by source, and the norm that follows from them.
void place_values(std::span<const double> values_of_a, PermutedMatrix& b) {
  const Index n = b.pattern.n_rows;
  b.values.resize(b.source.size());
  double norm = 0;
#pragma omp parallel for schedule(static) reduction(max \
                                                    : norm) if (b.pattern.nnz() >= parallel_from)
  for (Index i = 0; i < n; ++i) {
    for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
      b.values[p] = b.source[p] < 0 ? 0.0 : values_of_a[b.source[p]];
    }
    norm = std::max(norm, scaled_row_sum(b, i));
  }
  b.scaled_norm = norm;
}

void require_sizes(const CsrMatrix& a, const Matching& matching, const Ordering& ordering) {
  const auto n = static_cast<std::size_t>(a.pattern.n_rows);
  const bool fits = a.pattern.n_cols == a.pattern.n_rows &&
                    matching.rows.size() == a.pattern.n_rows &&
                    ordering.perm.size() == a.pattern.n_rows && matching.row_scale.size() == n &&
                    matching.col_scale.size() == n;
  if (!fits) {
    throw std::invalid_argument(fmt::format(
        "a matrix of {} x {} with a matching of {} and an ordering of {} labels", a.pattern.n_rows,
        a.pattern.n_cols, matching.rows.size(), ordering.perm.size()));
  }
}

}  // namespace

CsrPattern permuted_rows(const CsrMatrix& a, const Permutation& rows) {
  CsrPattern pa;
  pa.n_rows = a.pattern.n_rows;
  pa.n_cols = a.pattern.n_cols;
  pa.row_ptr.reserve(a.pattern.row_ptr.size());
  for (const Index i : rows.old_of_new()) {
    pa.row_ptr.push_back(pa.row_ptr.back() + static_cast<Offset>(a.pattern.row(i).size()));
  }
  pa.col_idx.resize(a.pattern.col_idx.size());
#pragma omp parallel for schedule(static) if (a.pattern.nnz() >= parallel_from)
  for (Index k = 0; k < pa.n_rows; ++k) {
    const auto row = a.pattern.row(rows.old_of_new()[k]);
    std::copy(row.begin(), row.end(), pa.col_idx.begin() + pa.row_ptr[k]);
  }
  return pa;
}

std::shared_ptr<PermutedMatrix> build_permuted_matrix(const CsrMatrix& a, const Matching& matching,
                                                      const Ordering& ordering) {
  require_sizes(a, matching, ordering);
  auto b = std::make_shared<PermutedMatrix>();
  b->rows = matching.rows.then(ordering.perm);
  b->cols = ordering.perm;
  b->row_scale = permuted(matching.row_scale, b->rows.old_of_new());
  b->col_scale = permuted(matching.col_scale, b->cols.old_of_new());
  const std::vector<char> absent = absent_diagonals(a.pattern, *b);
  set_row_pointers(a.pattern, absent, *b);
  fill_pattern(a.pattern, absent, *b);
  place_values(a.values, *b);
  return b;
}

void replace_values(PermutedMatrix& matrix, std::span<const double> new_values_of_a) {
  const Offset expected = matrix.pattern.nnz() - matrix.missing_diagonals_added;
  if (static_cast<Offset>(new_values_of_a.size()) != expected) {
    throw std::invalid_argument(
        fmt::format("{} values for a matrix of {} entries", new_values_of_a.size(), expected));
  }
  place_values(new_values_of_a, matrix);
}

}  // namespace lufact
