// SPDX-License-Identifier: BSD-3-Clause
#include "core/verify/validate_pattern.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

// Entry (i, i) stands where `diagonal` says, in every row.
std::string find_diagonal_fault(const ColumnPattern& pattern) {
  const CsrPattern& rows = pattern.rows;
  if (pattern.diagonal.size() != at(rows.n_rows)) {
    return fmt::format("{} diagonal positions for {} rows", pattern.diagonal.size(), rows.n_rows);
  }
  for (Index i = 0; i < rows.n_rows; ++i) {
    const Offset position = find_entry(rows.view(), i, i);
    if (position < 0) return fmt::format("row {} lacks its diagonal, column {}", i, i);
    if (pattern.diagonal[at(i)] != position) {
      return fmt::format("the diagonal of row {}, column {} is at position {}, not {}", i, i,
                         position, pattern.diagonal[at(i)]);
    }
  }
  return {};
}

// For each k the first p > k with U(k,p) and L(p,k), or n: the symmetric pruning of Eisenstat and
// Liu (1992).
//
// Why it saves the rest: let a row t > p have L(t,k). Right of p, row k of U lies within row p
// (closure at row p, which has L(p,k)); L(t,p) is there (closure at row t for column p of row k);
// and row p of U lies within row t (closure at row t, which has L(t,p)). So for t > p only the
// columns up to p of row k need a look at row t, provided that every row passes. The induction is
// over t ascending and, inside a row, k descending. The same holds for what justifies an entry: an
// entry right of p that row k justifies is justified by row p.
std::vector<Index> find_pruning_points(const ColumnPattern& pattern) {
  const PatternView rows = pattern.rows.view();
  std::vector<Index> prune_at(at(rows.n_rows), rows.n_rows);
#pragma omp parallel for schedule(dynamic, 64)
  for (Index k = 0; k < rows.n_rows; ++k) {
    for (Offset q = pattern.diagonal[at(k)] + 1; q < rows.row_ptr[at(k) + 1]; ++q) {
      const Index p = rows.col_idx[at(q)];
      if (find_entry(rows, p, k) < 0) continue;
      prune_at[at(k)] = p;
      break;
    }
  }
  return prune_at;
}

// Checks one row after another, each against `b` and the rows of U that it eliminates with.
class RowChecker {
 public:
  RowChecker(const CsrPattern& b, const ColumnPattern& pattern, const std::vector<Index>& prune_at)
      : b_(b),
        pattern_(pattern),
        prune_at_(prune_at),
        present_(at(b.n_rows), -1),
        justified_(at(b.n_rows), -1) {}

  std::string find_fault(Index t) {
    const auto row = pattern_.rows.row(t);
    for (const Index c : row) present_[at(c)] = t;
    for (const Index c : b_.row(t)) {
      if (present_[at(c)] != t) return fmt::format("row {} lacks column {}, an entry of B", t, c);
      justified_[at(c)] = t;
    }
    for (const Index k : row) {
      if (k >= t) break;
      if (const Index c = eliminate(t, k); c >= 0) {
        return fmt::format("row {} lacks column {}, which L({},{}) and U({},{}) fill", t, c, t, k,
                           k, c);
      }
    }
    for (const Index c : row) {
      if (justified_[at(c)] != t) {
        return fmt::format("row {} has column {}, which is neither in B nor filled", t, c);
      }
    }
    return {};
  }

 private:
  // Marks what row k fills in row t; returns a column that row t lacks, or -1.
  Index eliminate(Index t, Index k) {
    const auto& rows = pattern_.rows;
    const Index last = t > prune_at_[at(k)] ? prune_at_[at(k)] : rows.n_cols;
    for (Offset q = pattern_.diagonal[at(k)] + 1; q < rows.row_ptr[at(k) + 1]; ++q) {
      const Index c = rows.col_idx[at(q)];
      if (c > last) break;
      if (present_[at(c)] != t) return c;
      justified_[at(c)] = t;
    }
    return -1;
  }

  const CsrPattern& b_;
  const ColumnPattern& pattern_;
  const std::vector<Index>& prune_at_;
  std::vector<Index> present_, justified_;  // the last row that has, or may have, the column
};

// The fault of the smallest faulty row.
std::string find_fill_fault(const CsrPattern& b, const ColumnPattern& pattern) {
  const std::vector<Index> prune_at = find_pruning_points(pattern);
  Index first_row = std::numeric_limits<Index>::max();
  std::string first_fault;
  RegionErrors errors;
#pragma omp parallel
  {
    std::optional<RowChecker> checker;
    errors.run([&] { checker.emplace(b, pattern, prune_at); });
#pragma omp for schedule(dynamic, 16)
    for (Index t = 0; t < b.n_rows; ++t) {
      std::string fault;
      errors.run([&] { fault = checker->find_fault(t); });
      if (fault.empty()) continue;
#pragma omp critical(lufact_fill_fault)
      if (t < first_row) {
        first_row = t;
        first_fault = std::move(fault);
      }
    }
  }
  errors.rethrow();
  return first_fault;
}

std::string find_column_pattern_fault(const CsrPattern& b, const ColumnPattern& pattern) {
  if (pattern.rows.n_rows != b.n_rows || pattern.rows.n_cols != b.n_rows) {
    return fmt::format("the pattern is {} x {} for a matrix of order {}", pattern.rows.n_rows,
                       pattern.rows.n_cols, b.n_rows);
  }
  if (std::string fault = find_pattern_fault(pattern.rows.view()); !fault.empty()) return fault;
  if (std::string fault = find_diagonal_fault(pattern); !fault.empty()) return fault;
  return find_fill_fault(b, pattern);
}

}  // namespace

ValidatorVerdict validate_column_pattern(const CsrPattern& b, const ColumnPattern& pattern) {
  std::string fault = find_column_pattern_fault(b, pattern);
  return {fault.empty(), "column-pattern", std::move(fault)};
}

}  // namespace lufact
