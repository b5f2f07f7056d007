// SPDX-License-Identifier: BSD-3-Clause
// The steps of nested dissection, one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "core/order/nd/bisection.hpp"
#include "core/order/nd/coarsening.hpp"
#include "core/order/nd/compression.hpp"
#include "core/order/nd/degree_reduction.hpp"
#include "core/order/nd/flagged.hpp"
#include "core/order/nd/partition.hpp"
#include "core/order/nd/separator.hpp"
#include "core/order/test/preprocess_fixtures.hpp"

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

// The graph on the vertices that `order` leaves, by elimination on sets.
std::map<std::pair<Index, Index>, Index> left_after(const Graph& graph,
                                                    const std::vector<Index>& order) {
  std::vector<std::set<Index>> neighbours(static_cast<std::size_t>(graph.n));
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index u : graph.neighbours(v)) neighbours[v].insert(u);
  }
  for (const Index v : order) {
    EXPECT_LE(neighbours[v].size(), 2u);
    for (const Index a : neighbours[v]) {
      neighbours[a].erase(v);
      for (const Index b : neighbours[v]) {
        if (a != b) neighbours[a].insert(b);
      }
    }
    neighbours[v].clear();
  }
  std::map<std::pair<Index, Index>, Index> edges;
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index u : neighbours[v]) edges[{v, u}] = 1;
  }
  return edges;
}

// A grid whose edges are chains, with trees on some of its nodes, and a node tied to very many.
CsrPattern roads() {
  testing::Draws draws(4);
  testing::Cells cells;
  Index n = 144;
  const CsrPattern grid = testing::grid_matrix(12, 12).pattern;
  for (Index i = 0; i < 144; ++i) {
    for (const Index j : grid.row(i)) {
      if (j <= i) continue;
      Index from = i;
      for (Index k = draws.below(9); k > 0; --k) {
        cells[{from, n}] = 1;
        from = n++;
      }
      cells[{from, j}] = 1;
    }
  }
  const Index hub = n++;
  for (Index k = 0; k < 4000; ++k, ++n) cells[{n, k % 2 == 0 ? hub : draws.below(n)}] = 1;
  return testing::matrix_of(n, cells).pattern;
}

TEST(Flagged, AreFoundOnceEach) {
  for (const Index n : {0, 1, 7, 8, 63, 64, 65, 5000}) {
    Buffer<char> flags(n);
    std::vector<Index> expected;
    for (Index v = 0; v < n; ++v) {
      flags[v] = v % 64 == 0 || v % 9 == 5 || (v > 1000 && v < 1020) ? 1 : 0;
      if (flags[v] != 0) expected.push_back(v);
    }
    for (const int threads : {1, 3}) {
      std::vector<Index> calls(static_cast<std::size_t>(n), 0);
      std::atomic<Offset> odd{0};
#pragma omp parallel num_threads(threads)
      odd += each_flagged(flags, threads, [&](Index v) { return (++calls[v] + v) % 2 == 0; });
      for (Index v = 0; v < n; ++v) EXPECT_EQ(calls[v], flags[v]) << v;
      EXPECT_EQ(
          odd, std::count_if(expected.begin(), expected.end(), [](Index v) { return v % 2 == 1; }));
    }
  }
}

TEST(DegreeReduction, IsEliminatedExactly) {
  const Graph graph = graph_of(roads().view(), 1);
  for (const int threads : {1, 3}) {
    const DegreeReduction low = reduce_degrees(graph, threads);
    EXPECT_GT(low.order.size(), static_cast<std::size_t>(graph.n) * 9 / 10);
    EXPECT_EQ(low.graph.n + static_cast<Index>(low.order.size()), graph.n);
    std::map<std::pair<Index, Index>, Index> edges;
    for (const auto& [ends, weight] : edges_of(low.graph)) {
      edges[{low.kept[ends.first], low.kept[ends.second]}] = weight;
    }
    EXPECT_EQ(edges, left_after(graph, low.order));
  }
}

// Chains of three between two hubs, and a few to one hub only.
TEST(DegreeReduction, BetweenHubsLeavesTheirEdgesExact) {
  constexpr Index chains = 1500;
  testing::Cells cells;
  const auto join = [&cells](Index u, Index v) { cells[{u, v}] = cells[{v, u}] = 1; };
  for (Index k = 0; k < chains; ++k) {
    const Index first = 3 + 3 * k;
    join(0, first);
    join(first, first + 1);
    join(first + 1, first + 2);
    join(k % 10 == 0 ? 0 : 1, first + 2);
  }
  const Graph graph = graph_of(testing::matrix_of(3 + 3 * chains, cells).pattern.view(), 1);
  for (const int threads : {1, 3}) {
    const DegreeReduction low = reduce_degrees(graph, threads);
    ASSERT_GE(low.kept.size(), 2);
    EXPECT_EQ(low.kept[0], 0);
    EXPECT_EQ(low.kept[1], 1);
    std::map<std::pair<Index, Index>, Index> edges;
    for (const auto& [ends, weight] : edges_of(low.graph)) {
      edges[{low.kept[ends.first], low.kept[ends.second]}] = weight;
    }
    EXPECT_EQ(edges, left_after(graph, low.order));
  }
}

TEST(DegreeReduction, OfAPathGoesInFewRounds) {
  testing::Cells cells;
  for (Index k = 0; k + 1 < 10000; ++k) cells[{k, k + 1}] = 1;
  const DegreeReduction low =
      reduce_degrees(graph_of(testing::matrix_of(10000, cells).pattern.view(), 1), 2);
  EXPECT_GT(low.order.size(), 9800u);
  EXPECT_LT(low.cost.path.columns, 30);
}

TEST(DegreeReduction, LeavesAMeshAlone) {
  const DegreeReduction low = reduce_degrees(graph_of_grid(50, 50), 2);
  EXPECT_TRUE(low.order.empty());
  EXPECT_TRUE(low.kept.empty());
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
  Partition partition = initial_partition(graph, 16, 0, 2);
  const Parts& part = partition.part;
  for (const Index p : part) EXPECT_TRUE(p >= 0 && p < 16);
  const double before = level_cost(graph, part);
  refine(graph, {.parts = 16, .rounds = 4, .imbalance = 1.4}, partition, 2);
  EXPECT_LE(level_cost(graph, part), before);
  std::vector<Index> sizes(16, 0);
  for (const Index p : part) ++sizes[p];
  EXPECT_LT(*std::max_element(sizes.begin(), sizes.end()), 2 * 3000 / 16);
}

TEST(KWayPartition, KnowsWhichVerticesAreNearACut) {
  const Graph graph = graph_of_grid(60, 50);
  Clusters clusters = star_clusters(graph, {.left_out = {}, .largest_weight = 30, .seed = 1}, 2);
  const Graph coarse = contract(graph, clusters, 2);
  Partition partition = initial_partition(coarse, 8, 0, 2);
  refine(coarse, {.parts = 8}, partition, 2);
  partition = projected(partition, clusters.cluster_of, 2);
  const auto expect_known = [&] {
    for (Index v = 0; v < graph.n; ++v) {
      for (const Index u : graph.neighbours(v)) {
        EXPECT_TRUE(partition.part[u] == partition.part[v] || partition.near_cut[v] == 1);
      }
    }
  };
  expect_known();
  EXPECT_LT(std::count(partition.near_cut.begin(), partition.near_cut.end(), 1), graph.n);
  refine(graph, {.parts = 8}, partition, 2);
  expect_known();
}

TEST(Separator, LeavesNoEdgeBetweenParts) {
  const Graph graph = graph_of_grid(60, 50);
  for (const int threads : {1, 3}) {
    Partition partition = initial_partition(graph, 8, 0, 1);
    Parts& part = partition.part;
    for (const Index hub : {7, 1000, 2222}) part[hub] = -1;
    const Separator separator = find_separator(graph, 30, partition, threads);
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

}  // namespace
}  // namespace lufact::nd
