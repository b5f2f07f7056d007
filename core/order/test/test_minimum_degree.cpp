// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/order/nd/minimum_degree.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/order/test/preprocess_fixtures.hpp"

namespace lufact::nd {
namespace {

// The graph with vertices [interior, n) as the halo.
void fill(QuotientGraph& q, const CsrPattern& graph, Index interior) {
  q.reset(interior, graph.n_rows - interior, 0, graph.nnz());
  Index end = 0;
  for (Index v = 0; v < graph.n_rows; ++v) {
    q.begin[v] = end;
    q.weight[v] = 1;
    for (const Index u : graph.row(v)) {
      if (v < interior || u < interior) q.list[end++] = u;
    }
    q.length[v] = end - q.begin[v];
  }
}

TEST(MinimumDegree, IsAsGoodAsAmd) {
  for (const auto& [name, pattern] : testing::named_patterns()) {
    MinimumDegree degree;
    fill(degree.graph(), symmetric_graph(pattern.view()), pattern.n_rows);
    degree.run();
    std::vector<Index> order(static_cast<std::size_t>(pattern.n_rows));
    degree.write_order(order);
    const Permutation perm = Permutation::from_old_of_new(order);
    const Offset fill = testing::symmetric_fill(pattern, perm);
    const Offset amd = testing::symmetric_fill(pattern, amd_ordering(pattern));
    EXPECT_LE(static_cast<double>(fill), 1.15 * static_cast<double>(amd)) << name;
    const double said = 2 * degree.cost().nnz_l - pattern.n_rows;
    EXPECT_GE(said, static_cast<double>(fill)) << name;
    EXPECT_LE(said, 1.02 * static_cast<double>(fill)) << name;
    EXPECT_EQ(degree.remaining().count(), 0) << name;
  }
}

TEST(MinimumDegree, LeavesElementsOnTheHalo) {
  // Three rows of a grid between two rows that are not eliminated.
  const CsrPattern grid = symmetric_graph(testing::grid_matrix(10, 5).pattern.view());
  std::vector<Index> labels(50);
  for (Index v = 0; v < 50; ++v) labels[v] = v < 10 ? 30 + v : (v < 40 ? v - 10 : v);
  testing::Cells cells;
  for (Index v = 0; v < 50; ++v) {
    for (const Index u : grid.row(v)) cells[{labels[v], labels[u]}] = 1;
  }
  MinimumDegree degree;
  fill(degree.graph(), testing::matrix_of(50, cells).pattern, 30);
  degree.run();
  const RemainingElements remaining = degree.remaining();
  ASSERT_EQ(remaining.count(), 1);
  std::vector<Index> halo = remaining.halo;
  std::sort(halo.begin(), halo.end());
  std::vector<Index> all(20);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(halo, all);
  EXPECT_EQ(remaining.path.front().flops, degree.cost().path.flops);
}

TEST(MinimumDegree, FollowsAGivenOrder) {
  const CsrPattern grid = testing::grid_matrix(8, 8).pattern;
  std::vector<Index> natural(64), order(64);
  std::iota(natural.begin(), natural.end(), 0);
  MinimumDegree degree;
  fill(degree.graph(), symmetric_graph(grid.view()), 64);
  degree.run(natural);
  degree.write_order(order);
  // Variables that can go with an earlier one do, which adds nothing.
  EXPECT_LE(testing::symmetric_fill(grid, Permutation::from_old_of_new(order)),
            testing::symmetric_fill(grid, Permutation::identity(64)));
}

TEST(MinimumDegree, CollectsItsGarbage) {
  // A workspace that was made small: dense trailing parts need room again and again.
  const CsrPattern graph =
      symmetric_graph(testing::random_matrix(700, 4, 0, true, 1).pattern.view());
  MinimumDegree degree;
  fill(degree.graph(), graph, 700);
  degree.graph().list.resize(static_cast<std::size_t>(graph.nnz()) + 700);
  degree.run();
  std::vector<Index> order(700);
  degree.write_order(order);
  const Permutation perm = Permutation::from_old_of_new(order);
  EXPECT_LE(static_cast<double>(testing::symmetric_fill(graph, perm)),
            2 * degree.cost().nnz_l - 700);
}

}  // namespace
}  // namespace lufact::nd
