// SPDX-License-Identifier: BSD-3-Clause
#include "core/match/mc64.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/uninitialized_array.hpp"
#include "core/match/log_costs.hpp"
#include "core/match/product_matching.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr double smallest_scale = std::numeric_limits<double>::min();
constexpr double largest_scale = std::numeric_limits<double>::max();
constexpr Offset worthwhile_entries = 1 << 15;  // below, threads cost more than they save

// exp(logarithm) inside the range of normal doubles; counts what had to be clamped.
double clamped_exp(double logarithm, Offset& clamped) {
  const double scale = std::exp(logarithm);
  if (scale >= smallest_scale && scale <= largest_scale) return scale;
  ++clamped;
  return scale < 1 ? smallest_scale : largest_scale;
}

// Whether body(begin, end) holds for all of these chunks of rows; stops early where it does not.
template <class Body>
bool holds_for_all_rows(Index n, int threads, const Body& body) {
  constexpr Index chunk = 2048;
  std::atomic<bool> holds{true};
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
  for (Index k = 0; k <= n / chunk; ++k) {
    if (!holds.load(std::memory_order_relaxed)) continue;
    const Index begin = k * chunk, end = std::min(n, begin + chunk);
    if (!body(begin, end)) holds.store(false, std::memory_order_relaxed);
  }
  return holds;
}

// |a_ii|^(-1/2) for rows begin .. end; false where a diagonal entry is absent or zero.
bool scale_diagonals(const CsrMatrix& a, Index begin, Index end, std::span<double> scales) {
  for (Index i = begin; i < end; ++i) {
    const Offset p = find_entry(a.pattern.view(), i, i);
    if (p < 0 || a.values[p] == 0) return false;
    scales[i] = 1 / std::sqrt(std::abs(a.values[p]));
  }
  return true;
}

// Whether no entry of these rows is larger than 1 once scaled, up to rounding. False for anything
// that is not finite.
bool rows_are_feasible(const CsrMatrix& a, Index begin, Index end, std::span<const double> scale) {
  constexpr double bound = 1 + 4 * std::numeric_limits<double>::epsilon();
  for (Index i = begin; i < end; ++i) {
    bool feasible = true;
    for (Offset p = a.pattern.row_ptr[i]; p < a.pattern.row_ptr[i + 1]; ++p) {
      feasible &= std::abs(a.values[p]) * scale[i] * scale[a.pattern.col_idx[p]] <= bound;
    }
    if (!feasible) return false;
  }
  return true;
}

// Whether a sample of entries has mirror entries of the same magnitude. Only chooses a start.
bool looks_symmetric(const CsrMatrix& a) {
  const Index step = std::max<Index>(1, a.pattern.n_rows / 64);
  for (Offset row = 0; row < a.pattern.n_rows; row += step) {
    const auto i = static_cast<Index>(row);
    if (a.pattern.row(i).empty()) return false;
    const Offset p = a.pattern.row_ptr[i + 1] - 1;
    const Offset mirror = find_entry(a.pattern.view(), a.pattern.col_idx[p], i);
    if (mirror < 0 || std::abs(a.values[mirror]) != std::abs(a.values[p])) return false;
  }
  return true;
}

// Column duals of the symmetric scaling |a_jj|^(-1/2), 0 where there is no diagonal entry.
std::vector<double> duals_of_diagonal(const CsrMatrix& a, const LogCosts& logs, int threads) {
  std::vector<double> duals(a.pattern.n_rows, 0);
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index j = 0; j < a.pattern.n_rows; ++j) {
    const Offset p = find_entry(a.pattern.view(), j, j);
    if (p >= 0 && a.values[p] != 0) duals[j] = 0.5 * (logs.costs[p] - logs.row_maximum[j]);
  }
  return duals;
}

// The first few labels of those without a partner, counted from 1.
std::string unmatched_labels(Index n, auto&& partner) {
  constexpr std::size_t shown = 5;
  std::vector<Index> labels;
  Index count = 0;
  for (Index k = 0; k < n; ++k) {
    if (partner(k) >= 0) continue;
    ++count;
    if (labels.size() < shown) labels.push_back(k + 1);
  }
  const bool all = static_cast<std::size_t>(count) == labels.size();
  return fmt::format("{}{}", fmt::join(labels, ", "), all ? "" : ", ...");
}

[[noreturn]] void report_deficiency(const ProductMatching& matching, Index n) {
  throw Error(
      Outcome::singular_structural, "structurally_singular",
      fmt::format("the structural rank is {} but n is {}: no permutation gives a zero-free "
                  "diagonal; a largest matching leaves row(s) {} and column(s) {} without partner "
                  "(counted from 1, as in the file); --allow-singular completes the permutation",
                  matching.matched(), n,
                  unmatched_labels(n, [&](Index i) { return matching.column_of_row(i); }),
                  unmatched_labels(n, [&](Index j) { return matching.row_of_column(j); })));
}

// The solution of the assignment problem in A's labels.
struct Assignment {
  std::vector<Offset> entry_of_row;      // position in A of the matched entry; -1: unmatched
  std::vector<double> row_log, col_log;  // logarithms of the scales; 0 where unmatched

  explicit Assignment(Index n) : entry_of_row(n, -1), row_log(n, 0), col_log(n, 0) {}
};

Assignment whole_assignment(const ProductMatching& matching, const LogCosts& logs, int threads) {
  const auto n = static_cast<Index>(logs.row_maximum.size());
  Assignment result(n);
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (Index k = 0; k < n; ++k) {
    result.entry_of_row[k] = matching.entry_of_row(k);
    result.row_log[k] = matching.row_dual(k) - logs.row_maximum[k];
    result.col_log[k] = matching.column_dual(k);
  }
  return result;
}

// The rows and columns that a matching covers, as a problem of its own.
struct CoveredPart {
  std::vector<Index> rows, cols;  // A's labels
  CsrPattern pattern;
  std::vector<double> costs;
};

CoveredPart covered_part(const CsrPattern& pattern, const LogCosts& logs,
                         const ProductMatching& matching) {
  CoveredPart part;
  std::vector<Index> local(pattern.n_cols, -1);
  for (Index j = 0; j < pattern.n_cols; ++j) {
    if (matching.row_of_column(j) < 0) continue;
    local[j] = static_cast<Index>(part.cols.size());
    part.cols.push_back(j);
  }
  for (Index i = 0; i < pattern.n_rows; ++i) {
    if (matching.column_of_row(i) < 0) continue;
    part.rows.push_back(i);
    for (Offset p = pattern.row_ptr[i]; p < pattern.row_ptr[i + 1]; ++p) {
      if (local[pattern.col_idx[p]] < 0) continue;
      part.pattern.col_idx.push_back(local[pattern.col_idx[p]]);
      part.costs.push_back(logs.costs[p]);
    }
    part.pattern.row_ptr.push_back(static_cast<Offset>(part.pattern.col_idx.size()));
  }
  part.pattern.n_rows = part.pattern.n_cols = static_cast<Index>(part.rows.size());
  return part;
}

Assignment partial_assignment(const CsrPattern& pattern, const LogCosts& logs,
                              const ProductMatching& largest, int threads) {
  Assignment result(pattern.n_rows);
  const CoveredPart part = covered_part(pattern, logs, largest);
  ProductMatching matching(part.pattern.view(), part.costs, threads);
  matching.start_from_minima();
  matching.match_optimally();
  for (Index k = 0; k < part.pattern.n_rows; ++k) {
    const Index row = part.rows[k], col = part.cols[matching.column_of_row(k)];
    result.entry_of_row[row] = find_entry(pattern.view(), row, col);
    result.row_log[row] = matching.row_dual(k) - logs.row_maximum[row];
    result.col_log[part.cols[k]] = matching.column_dual(k);
  }
  return result;
}

// Moves a factor from row scales to column scales, or back, where the scales would else leave the
// range of double.
void balance(Assignment& assignment, int threads) {
  constexpr double safe = 690;  // exp(+-690) is a normal double
  const auto n = static_cast<Index>(assignment.row_log.size());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double row_low = infinity, row_high = -infinity, col_low = infinity, col_high = -infinity;
#pragma omp parallel for num_threads(threads) reduction(min                 \
                                                        : row_low, col_low) \
    reduction(max                                                           \
              : row_high, col_high) if (threads > 1)
  for (Index k = 0; k < n; ++k) {
    row_low = std::min(row_low, assignment.row_log[k]);
    row_high = std::max(row_high, assignment.row_log[k]);
    col_low = std::min(col_low, assignment.col_log[k]);
    col_high = std::max(col_high, assignment.col_log[k]);
  }
  if (std::max({row_high, col_high, -row_low, -col_low}) < safe) return;
  const double shift = (col_low + col_high - row_low - row_high) / 4;
  for (double& value : assignment.row_log) value += shift;
  for (double& value : assignment.col_log) value -= shift;
}

// The row scale that makes the matched entry 1 to the last bits, where it is in range.
double row_scale(double matched, double col_scale, double logarithm, Offset& clamped) {
  const double scale = 1 / (std::abs(matched) * col_scale);
  if (scale >= smallest_scale && scale <= largest_scale) return scale;
  return clamped_exp(logarithm, clamped);
}

// Turns an assignment into scales, 1 for unmatched rows, and the row of each column, -1 for an
// unmatched one.
std::vector<Index> set_scales(const CsrMatrix& a, Assignment&& assignment, int threads,
                              Matching& result, std::vector<Warning>& warnings) {
  const Index n = a.pattern.n_rows;
  std::vector<Index> row_of_column(n, -1);
  Offset clamped = 0;
  result.row_scale = std::move(assignment.row_log);
  result.col_scale = std::move(assignment.col_log);
#pragma omp parallel num_threads(threads) reduction(+ : clamped) if (threads > 1)
  {
#pragma omp for
    for (Index j = 0; j < n; ++j) {
      result.col_scale[j] = clamped_exp(result.col_scale[j], clamped);
    }
#pragma omp for
    for (Index i = 0; i < n; ++i) {
      double& scale = result.row_scale[i];
      const Offset p = assignment.entry_of_row[i];
      if (p < 0) {
        scale = 1;
        continue;
      }
      const Index j = a.pattern.col_idx[p];
      scale = row_scale(a.values[p], result.col_scale[j], scale, clamped);
      row_of_column[j] = i;
    }
  }
  warn_of_clamped_scales(clamped, warnings);
  return row_of_column;
}

// Free rows go to free columns: to their own number where that is free, then in ascending order.
// The scale of a free column is 1.
void complete(std::vector<Index>& row_of_column, std::vector<double>& col_scale) {
  const auto n = static_cast<Index>(row_of_column.size());
  std::vector<char> used(row_of_column.size(), 0);
  for (Index j = 0; j < n; ++j) {
    if (row_of_column[j] < 0) {
      col_scale[j] = 1;
    } else {
      used[row_of_column[j]] = 1;
    }
  }
  for (Index k = 0; k < n; ++k) {
    if (row_of_column[k] >= 0 || used[k]) continue;
    row_of_column[k] = k;
    used[k] = 1;
  }
  Index next = 0;
  for (Index j = 0; j < n; ++j) {
    if (row_of_column[j] >= 0) continue;
    while (used[next]) ++next;
    row_of_column[j] = next++;
  }
}

}  // namespace

std::optional<Matching> settle_on_diagonal(const CsrMatrix& a, int requested) {
  const int threads = threads_for(a.pattern.nnz(), worthwhile_entries, requested);
  const Index n = a.pattern.n_rows;
  UninitializedArray<double> array(n);  // most matrices are not settled, and see little of it
  const std::span<double> scales{array.data(), static_cast<std::size_t>(n)};
  const bool settled = holds_for_all_rows(n, threads,
                                          [&](Index begin, Index end) {
                                            return scale_diagonals(a, begin, end, scales);
                                          }) &&
                       holds_for_all_rows(n, threads, [&](Index begin, Index end) {
                         return rows_are_feasible(a, begin, end, scales);
                       });
  if (!settled) return std::nullopt;
  Matching result;
  result.rows = Permutation::identity(n);
  result.row_scale.assign(scales.begin(), scales.end());
  result.col_scale = result.row_scale;
  result.structural_rank = n;
  return result;
}

void warn_of_clamped_scales(Offset clamped, std::vector<Warning>& warnings) {
  if (clamped == 0) return;
  warnings.push_back(
      {"scaling_clamped", fmt::format("{} scale factors are beyond the range of double and were "
                                      "clamped; scaled entries may exceed 1",
                                      clamped)});
}

Matching mc64(const CsrMatrix& a, bool allow_singular, std::vector<Warning>& warnings,
              int requested) {
  const Index n = a.pattern.n_rows;
  if (n != a.pattern.n_cols) {
    throw Error(Outcome::error, "bad_matrix",
                fmt::format("matching needs a square matrix, not {} x {}", n, a.pattern.n_cols));
  }
  const int threads = threads_for(a.pattern.nnz(), worthwhile_entries, requested);
  if (std::optional<Matching> settled = settle_on_diagonal(a, requested)) {
    return std::move(*settled);
  }
  const LogCosts logs = log_costs(a, threads);
  ProductMatching matching(a.pattern.view(), logs.costs, threads);
  if (looks_symmetric(a)) {
    matching.start_from_column_duals(duals_of_diagonal(a, logs, threads));
  } else {
    matching.start_from_minima();
  }
  Matching result;
  result.structural_rank = matching.match_optimally();
  const bool deficient = result.structural_rank < n;
  if (deficient && !allow_singular) report_deficiency(matching, n);

  Assignment assignment = deficient ? partial_assignment(a.pattern, logs, matching, threads)
                                    : whole_assignment(matching, logs, threads);
  balance(assignment, threads);
  std::vector<Index> row_of_column =
      set_scales(a, std::move(assignment), threads, result, warnings);
  if (deficient) complete(row_of_column, result.col_scale);
  result.rows = Permutation::from_old_of_new(std::move(row_of_column));
  return result;
}

}  // namespace lufact
