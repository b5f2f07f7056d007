// SPDX-License-Identifier: BSD-3-Clause
#include "core/permute/permute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/matrix/first_touch.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset parallel_from = 1 << 14;  // entries; fewer take less than 0.4 ms on one thread

// Writes the length of each row of B to row_ptr, one more than A's where A does not have its
// diagonal entry; goes through the rows in A's order.
void measure_rows(const CsrPattern& a, PermutedMatrix& b) {
  const auto new_row = b.rows.new_of_old();
  const auto cols = b.cols.old_of_new();
  Index missing = 0;
#pragma omp parallel for schedule(static) reduction(+ : missing) if (a.nnz() >= parallel_from)
  for (Index i = 0; i < a.n_rows; ++i) {
    const Index k = new_row[i], absent = find_entry(a.view(), i, cols[k]) < 0 ? 1 : 0;
    missing += absent;
    b.pattern.row_ptr[k + 1] = a.row_ptr[i + 1] - a.row_ptr[i] + absent;
  }
  b.missing_diagonals_added = missing;
}

void lay_out_rows(const CsrPattern& a, PermutedMatrix& b) {
  const auto n = static_cast<std::size_t>(a.n_rows);
  b.pattern.n_rows = b.pattern.n_cols = a.n_rows;
  b.pattern.row_ptr.assign(n + 1, 0);
  measure_rows(a, b);
  for (std::size_t k = 0; k < n; ++k) b.pattern.row_ptr[k + 1] += b.pattern.row_ptr[k];
}

void make_room_for_entries(PermutedMatrix& b) {
  const Offset nnz = b.pattern.nnz();
  b.pattern.col_idx =
      zeros_touched_by<Index>(threads_for(nnz, parallel_from, thread_count(0)), nnz);
  b.source.resize(static_cast<std::size_t>(nnz));
  b.values.resize(static_cast<std::size_t>(nnz));
}

// Fills rows of B's pattern and their sources; one for each thread.
class RowFiller {
 public:
  RowFiller(const CsrPattern& a, PermutedMatrix& b) : a_(a), b_(b) {}

  void fill(Index k) {
    const auto new_col = b_.cols.new_of_old();
    const Index row = b_.rows.old_of_new()[k];
    const Offset begin = a_.row_ptr[row], first = b_.pattern.row_ptr[k];
    const auto length = static_cast<std::size_t>(b_.pattern.row_ptr[k + 1] - first);
    const auto of_a = static_cast<std::size_t>(a_.row_ptr[row + 1] - begin);
    columns_.resize(padded(length));
    for (std::size_t p = 0; p < of_a; ++p) columns_[p] = new_col[a_.col_idx[begin + p]];
    if (of_a < length) columns_[of_a] = k;
    const auto put = [&](std::size_t rank, std::size_t p) {
      b_.pattern.col_idx[first + rank] = columns_[p];
      b_.source[first + rank] = p == of_a ? -1 : begin + static_cast<Offset>(p);
    };
    if (length <= longest_ranked) {
      rank_columns(length, put);
    } else if (length * labels_per_column >= b_.pattern.row_ptr.size()) {
      mark_columns(length, put);
    } else {
      sort_columns(length, put);
    }
  }

 private:
  static constexpr std::size_t lanes = 8;
  // Rows of up to so many columns are ranked by counting smaller columns, without a branch, which
  // is faster than sorting.
  static constexpr std::size_t longest_ranked = 48;
  // A pass over so many labels takes as long as sorting one column.
  static constexpr std::size_t labels_per_column = 32;

  static constexpr std::size_t padded(std::size_t length) noexcept {
    return (length + lanes - 1) / lanes * lanes;
  }

  // Calls put(rank, p) for every column p.
  template <class Put>
  void rank_columns(std::size_t length, const Put& put) {
    std::fill(columns_.begin() + length, columns_.end(), std::numeric_limits<Index>::max());
    for (std::size_t p = 0; p < length; ++p) {
      const Index column = columns_[p];
      Index rank = 0;
      for (std::size_t q = 0; q < columns_.size(); q += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) rank += columns_[q + lane] < column;
      }
      put(static_cast<std::size_t>(rank), p);
    }
  }

  template <class Put>
  void sort_columns(std::size_t length, const Put& put) {
    keys_.resize(length);
    for (std::size_t p = 0; p < length; ++p) {
      keys_[p] = static_cast<std::uint64_t>(columns_[p]) << 32 | p;
    }
    std::sort(keys_.begin(), keys_.end());
    for (std::size_t rank = 0; rank < length; ++rank) {
      put(rank, static_cast<std::uint32_t>(keys_[rank]));
    }
  }

  // Ranks the columns by a pass over all labels.
  template <class Put>
  void mark_columns(std::size_t length, const Put& put) {
    place_.assign(b_.pattern.row_ptr.size() - 1, -1);
    for (std::size_t p = 0; p < length; ++p) {
      place_[static_cast<std::size_t>(columns_[p])] = static_cast<Index>(p);
    }
    std::size_t rank = 0;
    for (const Index p : place_) {
      if (p >= 0) put(rank++, static_cast<std::size_t>(p));
    }
  }

  const CsrPattern& a_;
  PermutedMatrix& b_;
  std::vector<Index> columns_;       // of a row of B, in A's order
  std::vector<Index> place_;         // of each label in columns_, or -1
  std::vector<std::uint64_t> keys_;  // column, then place in columns_
};

void permute_scales(const Matching& matching, PermutedMatrix& b) {
  const auto rows = b.rows.old_of_new(), cols = b.cols.old_of_new();
  const auto n = static_cast<Index>(rows.size());
  b.row_scale.resize(rows.size());
  b.col_scale.resize(rows.size());
#pragma omp parallel for schedule(static) if (n >= parallel_from / 4)
  for (Index k = 0; k < n; ++k) {
    b.row_scale[k] = matching.row_scale[rows[k]];
    b.col_scale[k] = matching.col_scale[cols[k]];
  }
}

// The rows of A behind consecutive rows of B are far apart in memory: each is prefetched so many
// rows ahead.
constexpr Index rows_ahead = 12;

void prefetch_row(const CsrMatrix& a, Index k, const PermutedMatrix& b) {
  const auto rows = b.rows.old_of_new();
  const auto last = static_cast<Index>(rows.size()) - 1;
  __builtin_prefetch(&a.pattern.row_ptr[rows[std::min(k + 2 * rows_ahead, last)]]);
  const Offset p = a.pattern.row_ptr[rows[std::min(k + rows_ahead, last)]];
  __builtin_prefetch(a.pattern.col_idx.data() + p);
  __builtin_prefetch(a.values.data() + p);
}

// The prefetch distance for rows that name their sources: short enough that the sources are still
// in the cache.
Index source_rows_ahead(const CsrPattern& b) {
  constexpr Offset entries_ahead = 64;
  const Offset rows = entries_ahead * b.n_rows / std::max<Offset>(b.nnz(), 1);
  return static_cast<Index>(std::clamp<Offset>(rows, 1, rows_ahead));
}

// Places the values of a matrix by source and sums their magnitudes on the way.
class RowPlacer {
 public:
  RowPlacer(std::span<const double> values_of_a, PermutedMatrix& b)
      : values_of_a_(values_of_a.data()),
        source_(b.source.data()),
        column_(b.pattern.col_idx.data()),
        col_scale_(b.col_scale.data()),
        values_(b.values.data()) {}

  // Entries [begin, end) of a row. Returns their part of the sum as PermutedMatrix::scaled_norm
  // says, without the scale of the row.
  double place(Offset begin, Offset end) const {
    double sum = 0;
    for (Offset p = begin; p < end;) {
      const Offset window_end = std::min((p / norm_window + 1) * norm_window, end);
      double part = 0;
      while (p < window_end) {
        const Offset piece_end = std::min((p / norm_piece + 1) * norm_piece, window_end);
        part += place_piece(p, piece_end);
        p = piece_end;
      }
      sum += part;
    }
    return sum;
  }

 private:
  double place_piece(Offset begin, Offset end) const {
    double sum = 0;
    for (Offset p = begin; p < end; ++p) {
      const double value = source_[p] < 0 ? 0.0 : values_of_a_[source_[p]];
      values_[p] = value;
      sum += std::abs(value * col_scale_[column_[p]]);
    }
    return sum;
  }

  const double* values_of_a_;
  const Offset* source_;
  const Index* column_;
  const double* col_scale_;
  double* values_;
};

// Returns the scaled sum of row i.
double place_row(std::span<const double> values_of_a, Index i, PermutedMatrix& b) {
  const double sum =
      RowPlacer(values_of_a, b).place(b.pattern.row_ptr[i], b.pattern.row_ptr[i + 1]);
  return b.row_scale[i] * sum;
}

// The last rows first: among them are those of hubs, which take longest.
void fill_rows(const CsrMatrix& a, PermutedMatrix& b) {
  constexpr Index block = 128;
  const Index n = a.pattern.n_rows, last = (n - 1) / block;
  double norm = 0;
  RegionErrors errors;
#pragma omp parallel reduction(max : norm) if (a.pattern.nnz() >= parallel_from)
  {
    RowFiller filler(a.pattern, b);
#pragma omp for schedule(dynamic, 1)
    for (Index turn = 0; turn <= last; ++turn) {
      const Index begin = (last - turn) * block;
      errors.run([&] {
        for (Index k = begin; k < begin + std::min(block, n - begin); ++k) {
          prefetch_row(a, k, b);
          filler.fill(k);
          norm = std::max(norm, place_row(a.values, k, b));
        }
      });
    }
  }
  errors.rethrow();
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

std::shared_ptr<PermutedMatrix> lay_out_permuted_matrix(const CsrMatrix& a,
                                                        const Matching& matching,
                                                        Ordering ordering) {
  require_sizes(a, matching, ordering);
  auto b = std::make_shared<PermutedMatrix>();
  b->rows = matching.rows.then(ordering.perm);
  b->cols = std::move(ordering.perm);
  b->forest = std::move(ordering.forest);
  permute_scales(matching, *b);
  lay_out_rows(a.pattern, *b);
  b->unplaced = &a;
  return b;
}

void place_entries(PermutedMatrix& matrix) {
  if (matrix.unplaced == nullptr) return;
  make_room_for_entries(matrix);
  fill_rows(*matrix.unplaced, matrix);
  matrix.unplaced = nullptr;
}

std::shared_ptr<PermutedMatrix> build_permuted_matrix(const CsrMatrix& a, const Matching& matching,
                                                      Ordering ordering) {
  auto b = lay_out_permuted_matrix(a, matching, std::move(ordering));
  place_entries(*b);
  return b;
}

void replace_values(PermutedMatrix& matrix, std::span<const double> new_values_of_a) {
  const Offset expected = matrix.pattern.nnz() - matrix.missing_diagonals_added;
  if (static_cast<Offset>(new_values_of_a.size()) != expected) {
    throw std::invalid_argument(
        fmt::format("{} values for a matrix of {} entries", new_values_of_a.size(), expected));
  }
  const Index distance = source_rows_ahead(matrix.pattern);
  double norm = 0;
#pragma omp parallel for schedule(static) \
    reduction(max                         \
              : norm) if (matrix.pattern.nnz() >= parallel_from)
  for (Index i = 0; i < matrix.pattern.n_rows; ++i) {
    const Index ahead = std::min(i + distance, matrix.pattern.n_rows - 1);
    const Offset source = matrix.source[matrix.pattern.row_ptr[ahead]];
    if (source >= 0) __builtin_prefetch(new_values_of_a.data() + source);
    norm = std::max(norm, place_row(new_values_of_a, i, matrix));
  }
  matrix.scaled_norm = norm;
}

}  // namespace lufact
