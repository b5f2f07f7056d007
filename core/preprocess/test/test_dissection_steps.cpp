// SPDX-License-Identifier: BSD-3-Clause
// The steps of nested dissection, one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/preprocess/nd/bisection.hpp"
#include "core/preprocess/nd/coarsening.hpp"
#include "core/preprocess/nd/compression.hpp"
#include "core/preprocess/nd/minimum_degree.hpp"
#include "core/preprocess/nd/partition.hpp"
#include "core/preprocess/nd/separator.hpp"
#include "core/preprocess/suitesparse_orderings.hpp"
#include "core/preprocess/test/preprocess_fixtures.hpp"

namespace lufact::nd {
namespace {

std::map<std::pair<Index, Index>, Index> edges_of(const Graph& graph) {
  std::map<std::pair<Index, Index>, Index> edges;
  for (Index v = 0; v < graph.n; ++v) {
    for (Offset p = graph.begin[v]; p < graph.end(v); ++p) {
      EXPECT_TRUE(edges.emplace(std::pair(v, graph.adjacent[p]), graph.edge_weight_of(p)).second);
      EXPECT_NE(v, graph.adjacent[p]);
    }
  }
  return edges;
}

Graph graph_of_grid(Index width, Index height) {
  return graph_of(testing::grid_matrix(width, height).pattern.view(), 2);
}

TEST(DissectionGraph, IsThatOfBothTriangles) {
  for (const auto& [name, pattern] : testing::named_patterns()) {
    const CsrPattern expected = symmetric_graph(pattern.view());
    for (const int threads : {1, 3}) {
      const Graph graph = graph_of(pattern.view(), threads);
      ASSERT_EQ(graph.n, pattern.n_rows) << name;
      for (Index v = 0; v < graph.n; ++v) {
        EXPECT_TRUE(std::ranges::equal(graph.neighbours(v), expected.row(v))) << name;
      }
    }
  }
  const CsrPattern large = testing::random_matrix(20000, 3, 0, true, 3).pattern;
  const CsrPattern expected = symmetric_graph(large.view());
  const Graph graph = graph_of(large.view(), 3);
  for (Index v = 0; v < graph.n; ++v) {
    ASSERT_TRUE(std::ranges::equal(graph.neighbours(v), expected.row(v)));
  }
}

TEST(Scan, SumsWhatIsBefore) {
  for (const Index n : {0, 1, 5, 100000}) {
    std::vector<Offset> values(static_cast<std::size_t>(n));
    for (Index k = 0; k < n; ++k) values[k] = k % 7;
    std::vector<Offset> expected(values.size());
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), Offset{0});
    const Offset total = std::accumulate(values.begin(), values.end(), Offset{0});
    EXPECT_EQ(exclusive_scan(std::span<Offset>(values), 3), total);
    EXPECT_EQ(values, expected);
  }
}

TEST(Compression, MergesEqualClosedNeighbourhoodsOnly) {
  // Blocks of three in a chain: every block is one class.
  testing::Cells cells;
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 30; ++j) {
      if (std::abs(i / 3 - j / 3) <= 1) cells[{i, j}] = 1;
    }
  }
  const Graph graph = graph_of(testing::matrix_of(30, cells).pattern.view(), 1);
  const Compression compression = compress(graph, 2);
  ASSERT_EQ(compression.graph.n, 10);
  for (Index v = 0; v < 30; ++v) EXPECT_EQ(compression.class_of[v], v / 3);
  const auto edges = edges_of(compression.graph);
  EXPECT_EQ(edges.size(), 18u);
  for (const auto& [ends, weight] : edges) EXPECT_EQ(weight, 9);
  EXPECT_EQ(total_weight(compression.graph, 1), 30);
  EXPECT_TRUE(compress(graph_of_grid(9, 9), 1).class_of.empty());
}

void expect_clusters(const Graph& graph, const Clusters& clusters, const ClusterRules& rules) {
  std::vector<Offset> weight(static_cast<std::size_t>(clusters.count), 0);
  for (Index v = 0; v < graph.n; ++v) {
    const bool out = !rules.left_out.empty() && rules.left_out[v] != 0;
    ASSERT_EQ(clusters.cluster_of[v] < 0, out);
    if (out) continue;
    ASSERT_LT(clusters.cluster_of[v], clusters.count);
    weight[clusters.cluster_of[v]] += graph.weight_of(v);
  }
  for (const Offset sum : weight) EXPECT_GT(sum, 0);
}

TEST(Clusters, CoverTheGraphAndMakeItSmaller) {
  const Graph graph = graph_of_grid(80, 70);
  std::vector<char> left_out(5600, 0);
  left_out[17] = left_out[4000] = 1;
  const ClusterRules rules{.left_out = left_out, .largest_weight = 30, .seed = 5};
  for (const int threads : {1, 2}) {
    const Clusters stars = star_clusters(graph, rules, threads);
    expect_clusters(graph, stars, rules);
    EXPECT_LT(stars.count, 2000);
    const Clusters pairs = matched_clusters(graph, rules, threads);
    expect_clusters(graph, pairs, rules);
    EXPECT_LT(pairs.count, 3200);
  }
}

TEST(Clusters, PackVerticesOfNoEdge) {
  const Graph graph = graph_of(testing::matrix_of(100, {{{3, 50}, 1.0}}).pattern.view(), 1);
  const ClusterRules rules{.left_out = {}, .largest_weight = 10, .seed = 0};
  const Clusters packed = packed_isolated(graph, rules);
  expect_clusters(graph, packed, rules);
  EXPECT_EQ(packed.count, 12);
}

TEST(Contraction, AddsWeightsUp) {
  const Graph graph = graph_of_grid(90, 60);
  const ClusterRules rules{.left_out = {}, .largest_weight = 12, .seed = 1};
  const Clusters clusters = star_clusters(graph, rules, 2);
  std::map<std::pair<Index, Index>, Index> expected;
  for (const auto& [ends, weight] : edges_of(graph)) {
    const Index a = clusters.cluster_of[ends.first], b = clusters.cluster_of[ends.second];
    if (a != b) expected[{a, b}] += weight;
  }
  for (const int threads : {1, 3}) {
    const Graph coarse = contract(graph, clusters, threads);
    EXPECT_EQ(edges_of(coarse), expected);
    EXPECT_EQ(total_weight(coarse, 1), 5400);
  }
}

Piece piece_of(const Graph& graph) {
  Piece piece;
  for (Index v = 0; v < graph.n; ++v) {
    piece.vertex.push_back(v);
    piece.weight.push_back(1);
    for (const Index u : graph.neighbours(v)) {
      piece.adjacent.push_back(u);
      piece.edge_weight.push_back(1);
    }
    piece.begin.push_back(static_cast<Index>(piece.adjacent.size()));
  }
  piece.total = graph.n;
  return piece;
}

TEST(Bisection, CutsAGridAcross) {
  const Piece piece = piece_of(graph_of_grid(40, 12));
  Offset best = 480;
  for (std::uint64_t attempt = 0; attempt < 8; ++attempt) {
    const Bisection bisection = bisect(piece, attempt);
    Offset cut = 0, left = 0;
    for (Index v = 0; v < 480; ++v) {
      left += bisection.side[v] == 0 ? 1 : 0;
      for (Index p = piece.begin[v]; p < piece.begin[v + 1]; ++p) {
        cut += bisection.side[v] < bisection.side[piece.adjacent[p]] ? 1 : 0;
      }
    }
    EXPECT_EQ(cut, bisection.cut);
    EXPECT_LE(std::max(left, 480 - left), 289);
    best = std::min(best, cut);
  }
  EXPECT_LE(best, 14);
}

TEST(Bisection, SplitsAPieceInTwo) {
  const Piece piece = piece_of(graph_of_grid(20, 9));
  const Bisection bisection = bisect(piece, 3);
  const Piece left = side_of(piece, bisection, 0), right = side_of(piece, bisection, 1);
  EXPECT_EQ(left.size() + right.size(), 180);
  EXPECT_EQ(left.total + right.total, 180);
  const auto inner = static_cast<Offset>(left.adjacent.size() + right.adjacent.size());
  EXPECT_EQ(inner, static_cast<Offset>(piece.adjacent.size()) - 2 * bisection.cut);
}

double level_cost(const Graph& graph, const Parts& part) {
  const LevelCosts costs;
  double cost = 0;
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index u : graph.neighbours(v)) cost += costs.between(part[v], part[u]);
  }
  return cost;
}

TEST(KWayPartition, IsBalancedAndRefinementDoesNotWorsenIt) {
  const Graph graph = graph_of_grid(60, 50);
  Parts part = initial_partition(graph, 16, 2);
  for (const Index p : part) EXPECT_TRUE(p >= 0 && p < 16);
  const double before = level_cost(graph, part);
  refine(graph, {.parts = 16, .rounds = 4, .imbalance = 1.4}, part, 2);
  EXPECT_LE(level_cost(graph, part), before);
  std::vector<Index> sizes(16, 0);
  for (const Index p : part) ++sizes[p];
  EXPECT_LT(*std::max_element(sizes.begin(), sizes.end()), 2 * 3000 / 16);
}

TEST(Separator, LeavesNoEdgeBetweenParts) {
  const Graph graph = graph_of_grid(60, 50);
  for (const int threads : {1, 3}) {
    Parts part = initial_partition(graph, 8, 1);
    for (const Index hub : {7, 1000, 2222}) part[hub] = -1;
    const Separator separator = find_separator(graph, 30, part, threads);
    Index inside = 0;
    for (Index v = 0; v < graph.n; ++v) {
      if (separator.inside[v] != 0) {
        ++inside;
        continue;
      }
      ASSERT_GE(part[v], 0);
      for (const Index u : graph.neighbours(v)) {
        EXPECT_TRUE(separator.inside[u] != 0 || part[u] == part[v]);
      }
    }
    EXPECT_EQ(static_cast<Index>(separator.vertices.size()), inside);
    EXPECT_TRUE(std::is_sorted(separator.vertices.begin(), separator.vertices.end()));
    EXPECT_LT(inside, 400);
  }
}

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
