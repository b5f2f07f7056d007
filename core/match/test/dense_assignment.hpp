// SPDX-License-Identifier: BSD-3-Clause
// Plain solvers that the matching is compared with; they share nothing with it.
#pragma once
#include <limits>
#include <vector>

#include "core/matrix/pattern.hpp"

namespace lufact::testing {

// Least cost of a perfect assignment of a dense n x n cost matrix (by rows) by the Hungarian
// method of O(n^3): rows enter one by one, each by a shortest path over the columns. Infinite costs
// must leave a finite assignment.
inline double least_assignment_cost(Index n, std::vector<double> costs) {
  constexpr double forbidden = 1e6;
  for (double& cost : costs) {
    if (cost > forbidden) cost = forbidden;
  }
  std::vector<double> row_price(n, 0.0), column_price(n, 0.0);
  std::vector<Index> owner(n, -1);
  for (Index entering = 0; entering < n; ++entering) {
    std::vector<double> slack(n, std::numeric_limits<double>::infinity());
    std::vector<Index> previous(n, -1);
    std::vector<char> done(n, 0);
    Index row = entering, last = -1;
    while (row >= 0) {
      Index nearest = -1;
      for (Index j = 0; j < n; ++j) {
        if (done[j]) continue;
        const double reduced = costs[row * n + j] - row_price[row] - column_price[j];
        if (reduced < slack[j]) {
          slack[j] = reduced;
          previous[j] = last;
        }
        if (nearest < 0 || slack[j] < slack[nearest]) nearest = j;
      }
      const double step = slack[nearest];
      row_price[entering] += step;
      for (Index j = 0; j < n; ++j) {
        if (done[j]) {
          row_price[owner[j]] += step;
          column_price[j] -= step;
        } else {
          slack[j] -= step;
        }
      }
      done[nearest] = 1;
      last = nearest;
      row = owner[nearest];
    }
    for (Index j = last; j >= 0; j = previous[j]) {
      owner[j] = previous[j] < 0 ? entering : owner[previous[j]];
    }
  }
  double sum = 0;
  for (Index j = 0; j < n; ++j) sum += costs[owner[j] * n + j];
  return sum;
}

// Tries to give `row` a column, moving earlier rows where that helps (Kuhn).
inline bool find_column(const CsrPattern& a, Index row, std::vector<Index>& owner,
                        std::vector<char>& seen) {
  for (const Index j : a.row(row)) {
    if (seen[j]) continue;
    seen[j] = 1;
    if (owner[j] < 0 || find_column(a, owner[j], owner, seen)) {
      owner[j] = row;
      return true;
    }
  }
  return false;
}

inline Index largest_matching(const CsrPattern& a) {
  std::vector<Index> owner(a.n_cols, -1);
  Index size = 0;
  for (Index i = 0; i < a.n_rows; ++i) {
    std::vector<char> seen(a.n_cols, 0);
    size += find_column(a, i, owner, seen) ? 1 : 0;
  }
  return size;
}

}  // namespace lufact::testing
