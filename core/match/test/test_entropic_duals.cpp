// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/match/entropic_duals.hpp"
#include "core/match/log_costs.hpp"
#include "core/match/test/dense_assignment.hpp"
#include "core/order/test/preprocess_fixtures.hpp"

namespace lufact {
namespace {

using testing::Cells;
using testing::matrix_of;

// The sum of column duals and of the largest row duals that go with them: no more than the cost of
// any assignment.
double dual_objective(const CsrMatrix& a, const LogCosts& logs, std::span<const double> duals) {
  double sum = 0;
  for (const double dual : duals) sum += dual;
  for (Index i = 0; i < a.pattern.n_rows; ++i) {
    double smallest = std::numeric_limits<double>::infinity();
    for (Offset p = a.pattern.row_ptr[i]; p < a.pattern.row_ptr[i + 1]; ++p) {
      smallest = std::min(smallest, logs.costs[p] - duals[a.pattern.col_idx[p]]);
    }
    sum += smallest;
  }
  return sum;
}

double least_cost(const CsrMatrix& a, const LogCosts& logs) {
  const Index n = a.pattern.n_rows;
  std::vector<double> dense(static_cast<std::size_t>(n) * n,
                            std::numeric_limits<double>::infinity());
  for (Index i = 0; i < n; ++i) {
    for (Offset p = a.pattern.row_ptr[i]; p < a.pattern.row_ptr[i + 1]; ++p) {
      dense[i * n + a.pattern.col_idx[p]] = logs.costs[p];
    }
  }
  return testing::least_assignment_cost(n, dense);
}

TEST(EntropicDuals, AreNearerToTheOptimumThanColumnMinima) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const CsrMatrix a = testing::random_matrix(150, 4, 4, true, seed);
    const LogCosts logs = log_costs(a, 1);
    std::vector<double> minima(150, std::numeric_limits<double>::infinity());
    for (Offset p = 0; p < a.pattern.nnz(); ++p) {
      minima[a.pattern.col_idx[p]] = std::min(minima[a.pattern.col_idx[p]], logs.costs[p]);
    }
    const nd::Buffer<double> duals = entropic_column_duals(a.pattern.view(), logs.costs, 1);
    const double best = least_cost(a, logs);
    const double gap = best - dual_objective(a, logs, duals);
    EXPECT_GE(gap, -1e-9 * std::abs(best));
    EXPECT_LT(gap, 0.7 * (best - dual_objective(a, logs, minima))) << "seed " << seed;
  }
}

TEST(EntropicDuals, AreTheSameForEveryNumberOfThreads) {
  const CsrMatrix a = testing::random_matrix(3000, 4, 30, false, 5);
  const LogCosts logs = log_costs(a, 1);
  const nd::Buffer<double> one = entropic_column_duals(a.pattern.view(), logs.costs, 1);
  for (const int threads : {2, 5}) {
    const nd::Buffer<double> many = entropic_column_duals(a.pattern.view(), logs.costs, threads);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), many.begin()));
  }
}

TEST(EntropicDuals, AreFiniteWhereCostsAreExtremeOrMissing) {
  // Column 2 has an explicit zero only, column 3 nothing, row 3 nothing.
  const CsrMatrix a = matrix_of(4, {{{0, 0}, 1e300},
                                    {{0, 1}, 1e-300},
                                    {{1, 0}, 1e-300},
                                    {{1, 2}, 0.0},
                                    {{2, 1}, 5e-324},
                                    {{2, 0}, 1e308}});
  const LogCosts logs = log_costs(a, 1);
  const nd::Buffer<double> duals = entropic_column_duals(a.pattern.view(), logs.costs, 1);
  for (const double dual : duals) EXPECT_TRUE(std::isfinite(dual));
  EXPECT_EQ(duals[2], 0);
  EXPECT_EQ(duals[3], 0);
}

}  // namespace
}  // namespace lufact
