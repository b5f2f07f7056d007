// SPDX-License-Identifier: BSD-3-Clause
#include "core/preprocess/permute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "core/matrix/first_touch.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset parallel_from = 1
                                 << 17;  // below this many entries threads cost more than they save

// The lengths of B's rows, and the diagonal entries that A has not, go to row_ptr and `absent`, in
// order of A's rows.
void measure_rows(const CsrPattern& a, PermutedMatrix& b, std::vector<char>& absent) {
  const auto new_row = b.rows.new_of_old();
  const auto cols = b.cols.old_of_new();
  Index missing = 0;
#pragma omp parallel for schedule(static) reduction(+ : missing) if (a.nnz() >= parallel_from)
  for (Index i = 0; i < a.n_rows; ++i) {
    const Index k = new_row[i];
    absent[k] = find_entry(a.view(), i, cols[k]) < 0;
    missing += absent[k];
    b.pattern.row_ptr[k + 1] = a.row_ptr[i + 1] - a.row_ptr[i] + absent[k];
  }
  b.missing_diagonals_added = missing;
}

// Makes room for B's entries and returns which of its diagonal entries are absent from A.
std::vector<char> lay_out_rows(const CsrPattern& a, PermutedMatrix& b) {
  const auto n = static_cast<std::size_t>(a.n_rows);
  b.pattern.n_rows = b.pattern.n_cols = a.n_rows;
  b.pattern.row_ptr.assign(n + 1, 0);
  std::vector<char> absent(n);
  measure_rows(a, b, absent);
  for (std::size_t k = 0; k < n; ++k) b.pattern.row_ptr[k + 1] += b.pattern.row_ptr[k];
  const Offset nnz = b.pattern.nnz();
  b.pattern.col_idx =
      zeros_touched_by<Index>(threads_for(nnz, parallel_from, thread_count(0)), nnz);
  b.source.resize(static_cast<std::size_t>(nnz));
  b.values.resize(static_cast<std::size_t>(nnz));
  return absent;
}

using Entry = std::uint64_t;  // B's column, then the position in A's row or `none`
constexpr std::uint32_t none = 0xffff'ffff;

constexpr Entry make_entry(Index column, std::uint32_t position) noexcept {
  return static_cast<Entry>(column) << 32 | position;
}

// Fills row k of B's pattern and its sources; `entries` is workspace.
void fill_row(const CsrPattern& a, Index k, bool diagonal_absent, PermutedMatrix& b,
              std::vector<Entry>& entries) {
  const auto new_col = b.cols.new_of_old();
  const Offset begin = a.row_ptr[b.rows.old_of_new()[k]];
  const Offset first = b.pattern.row_ptr[k];
  const auto length = static_cast<std::uint32_t>(b.pattern.row_ptr[k + 1] - first);
  const std::uint32_t of_a = length - (diagonal_absent ? 1 : 0);
  entries.resize(length);
  for (std::uint32_t p = 0; p < of_a; ++p) {
    entries[p] = make_entry(new_col[a.col_idx[begin + p]], p);
  }
  if (diagonal_absent) entries[of_a] = make_entry(k, none);
  std::sort(entries.begin(), entries.end());
  for (std::uint32_t q = 0; q < length; ++q) {
    const auto position = static_cast<std::uint32_t>(entries[q]);
    b.pattern.col_idx[first + q] = static_cast<Index>(entries[q] >> 32);
    b.source[first + q] = position == none ? -1 : begin + position;
  }
}

std::vector<double> permuted(std::span<const double> values, std::span<const Index> old_of_new) {
  std::vector<double> result(values.size());
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = values[old_of_new[k]];
  return result;
}

// Values of row i by source. Returns the sum of their scaled magnitudes.
double place_row(std::span<const double> values_of_a, Index i, PermutedMatrix& b) {
  double sum = 0;
  for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
    const double value = b.source[p] < 0 ? 0.0 : values_of_a[b.source[p]];
    b.values[p] = value;
    sum += std::abs(b.row_scale[i] * value * b.col_scale[b.pattern.col_idx[p]]);
  }
  return sum;
}

void fill_rows(const CsrMatrix& a, const std::vector<char>& absent, PermutedMatrix& b) {
  double norm = 0;
#pragma omp parallel reduction(max : norm) if (a.pattern.nnz() >= parallel_from)
  {
    std::vector<Entry> entries;
#pragma omp for schedule(dynamic, 512)
    for (Index k = 0; k < a.pattern.n_rows; ++k) {
      fill_row(a.pattern, k, absent[k] != 0, b, entries);
      norm = std::max(norm, place_row(a.values, k, b));
    }
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
  pa.col_idx =
      zeros_touched_by<Index>(threads_for(pa.nnz(), parallel_from, thread_count(0)), pa.nnz());
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
  b->forest = ordering.forest;
  b->row_scale = permuted(matching.row_scale, b->rows.old_of_new());
  b->col_scale = permuted(matching.col_scale, b->cols.old_of_new());
  const std::vector<char> absent = lay_out_rows(a.pattern, *b);
  fill_rows(a, absent, *b);
  return b;
}

void replace_values(PermutedMatrix& matrix, std::span<const double> new_values_of_a) {
  const Offset expected = matrix.pattern.nnz() - matrix.missing_diagonals_added;
  if (static_cast<Offset>(new_values_of_a.size()) != expected) {
    throw std::invalid_argument(
        fmt::format("{} values for a matrix of {} entries", new_values_of_a.size(), expected));
  }
  double norm = 0;
#pragma omp parallel for schedule(static) \
    reduction(max                         \
              : norm) if (matrix.pattern.nnz() >= parallel_from)
  for (Index i = 0; i < matrix.pattern.n_rows; ++i) {
    norm = std::max(norm, place_row(new_values_of_a, i, matrix));
  }
  matrix.scaled_norm = norm;
}

}  // namespace lufact
