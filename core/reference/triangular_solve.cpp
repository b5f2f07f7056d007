// SPDX-License-Identifier: BSD-3-Clause
#include "core/reference/triangular_solve.hpp"

namespace lufact::reference {
namespace {

void solve_lower(const ColumnPattern& pattern, std::span<const double> values,
                 std::span<double> x) {
  for (Index i = 0; i < pattern.rows.n_rows; ++i) {
    for (Offset p = pattern.rows.row_ptr[at(i)]; p < pattern.diagonal[at(i)]; ++p) {
      x[at(i)] -= values[at(p)] * x[at(pattern.rows.col_idx[at(p)])];
    }
  }
}

void solve_upper(const ColumnPattern& pattern, std::span<const double> values,
                 std::span<double> x) {
  for (Index i = pattern.rows.n_rows - 1; i >= 0; --i) {
    for (Offset p = pattern.diagonal[at(i)] + 1; p < pattern.rows.row_ptr[at(i) + 1]; ++p) {
      x[at(i)] -= values[at(p)] * x[at(pattern.rows.col_idx[at(p)])];
    }
    x[at(i)] /= values[at(pattern.diagonal[at(i)])];
  }
}

}  // namespace

void solve(const ColumnPattern& pattern, std::span<const double> values, std::span<double> x,
           Index columns) {
  const std::size_t n = at(pattern.rows.n_rows);
  for (std::size_t c = 0; c < at(columns); ++c) {
    solve_lower(pattern, values, x.subspan(c * n, n));
    solve_upper(pattern, values, x.subspan(c * n, n));
  }
}

}  // namespace lufact::reference
