// SPDX-License-Identifier: BSD-3-Clause
// Contribution blocks in the place of factors that are not there yet: less memory, the same
// factors, and nothing that a validator finds overwritten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "core/fronts/plan/contribution_arenas.hpp"
#include "core/fronts/plan/lent_factors.hpp"
#include "core/fronts/test/planned_fronts.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

using namespace test;

TaskGraph in_factors(const PlannedFronts& problem) {
  return problem.placed_by([&](TaskGraph& graph) {
    place_in_factors(problem.tree(), graph);
    return FrontParts{};
  });
}

Index lent_blocks(const TaskGraph& graph) {
  return static_cast<Index>(
      std::ranges::count_if(graph.shape, [](const FrontShape& s) { return s.contribution < 0; }));
}

TEST(PlaceInFactors, GivesTheFactorsOfBlocksApartInNoMoreMemory) {
  for (const NamedMatrix& named : front_matrices()) {
    SCOPED_TRACE(named.name);
    const PlannedFronts problem(named.matrix);
    const TaskGraph apart = problem.apart(), graph = in_factors(problem);
    const ValidatorVerdict verdict = validate_task_graph(problem.tree(), graph);
    EXPECT_TRUE(verdict.passed) << verdict.message;
    EXPECT_EQ(problem.factors(graph), problem.factors(apart));
    EXPECT_LE(graph.contribution_entries, apart.contribution_entries);
    EXPECT_EQ(lent_blocks(graph) > 0, graph.contribution_entries < apart.contribution_entries);
  }
}

TEST(PlaceInFactors, TakesMuchLessWhereFrontsAreLarge) {
  const PlannedFronts problem(separator_tree(7, 40));
  const TaskGraph apart = problem.apart(), graph = in_factors(problem);
  EXPECT_GT(lent_blocks(graph), 4);
  EXPECT_LT(4 * graph.contribution_entries, 3 * apart.contribution_entries);
  const ValidatorVerdict verdict = validate_task_graph(problem.tree(), graph);
  EXPECT_TRUE(verdict.passed) << verdict.message;
}

TEST(PlaceInFactors, IsWhatTheStageDoesUnlessBlocksAreToBeApart) {
  PlannedFronts problem(separator_tree(6, 40));
  EXPECT_GT(lent_blocks(problem.at_once()), 0);
  EXPECT_EQ(problem.at_once().contribution_entries, in_factors(problem).contribution_entries);
  problem.harness.context.blocks_apart = true;
  const ProductPtr product =
      make_task_graph_levelize()->run(problem.tree_product, problem.harness.context);
  const auto& apart = product_cast<TaskGraph>(*product);
  EXPECT_EQ(lent_blocks(apart), 0);
  EXPECT_EQ(apart.contribution_entries, problem.apart().contribution_entries);
}

// Appends a front, whose contribution rows are these rows of its parent.
void append(FrontTree& tree, Index pivots, Index parent, const std::vector<Index>& parent_rows) {
  tree.first.push_back(tree.first.back() + pivots);
  tree.parent.push_back(parent);
  for (const Index row : parent_rows) tree.parent_row.push_back(row);
  tree.row_ptr.push_back(static_cast<Offset>(tree.parent_row.size()));
  tree.entry_ptr.push_back(0);
}
void close(FrontTree& tree) {
  tree.n = tree.first.back();
  tree.row.resize(tree.parent_row.size(), 0);  // nobody asks for positions
}

std::vector<Index> consecutive(Index first, Index count) {
  std::vector<Index> rows(at(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

// A front of three tiles of pivots; `children` of eight pivots, each with one child. Child c adds
// to the rows `first_row[c]` and following ones.
FrontTree two_generations(const std::vector<Index>& first_row) {
  constexpr Index pivots = 8, rows = 60, large = 192;
  FrontTree tree;
  const auto root = static_cast<Index>(2 * first_row.size());
  for (const Index first : first_row) {
    append(tree, pivots, static_cast<Index>(tree.parent.size()) + 1, consecutive(0, rows));
    append(tree, pivots, root, consecutive(first, rows));
  }
  append(tree, large, -1, {});
  close(tree);
  return tree;
}

// Fronts of up to 150 pivots, each with a pivot and other rows of its parent.
FrontTree random_tree(Index fronts, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](Index end) {
    return static_cast<Index>(random() % static_cast<std::uint64_t>(end));
  };
  // From the root down; numbered from the end, so that children precede parents.
  std::vector<Index> parent(at(fronts), -1), pivots(at(fronts)), order(at(fronts));
  std::vector<std::vector<Index>> rows(at(fronts));
  for (Index f = 0; f < fronts; ++f) {
    pivots[at(f)] = 1 + below(below(4) == 0 ? 150 : 40);
    order[at(f)] = pivots[at(f)];
    if (f == 0) continue;
    const Index p = std::max<Index>(0, f - 1 - below(std::min<Index>(f, 4)));
    parent[at(f)] = p;
    std::vector<Index>& own = rows[at(f)];
    own = {below(pivots[at(p)])};
    const Index share = 1 + below(4);
    for (Index r = 0; r < order[at(p)]; ++r) {
      if (below(4) < share && r != own.front()) own.push_back(r);
    }
    std::ranges::sort(own);
    order[at(f)] += static_cast<Index>(own.size());
  }
  FrontTree tree;
  for (Index f = fronts; f-- > 0;) {
    const Index p = parent[at(f)];
    append(tree, pivots[at(f)], p < 0 ? -1 : fronts - 1 - p, rows[at(f)]);
  }
  close(tree);
  return tree;
}

TaskGraph graph_of(const FrontTree& tree, const std::vector<FrontShape>* shapes = nullptr) {
  TaskGraph graph;
  shape_fronts(tree, 1, graph);
  place_in_factors(tree, graph);
  if (shapes != nullptr) graph.shape = *shapes;
  const std::vector<FrontTask> tasks = make_tile_tasks(tree, 1, graph);
  order_factorization(tasks, {}, 1, graph);
  order_solve(tasks, {}, 1, graph);
  return graph;
}

TEST(PlaceInFactors, OfRandomTreesOverwritesNothingThatIsStillRead) {
  Index trees_with_lent = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const FrontTree tree = random_tree(4 + static_cast<Index>(seed % 40), seed);
    const TaskGraph graph = graph_of(tree);
    const ValidatorVerdict verdict = validate_task_graph(tree, graph);
    EXPECT_TRUE(verdict.passed) << verdict.message;
    TaskGraph apart;
    shape_fronts(tree, 1, apart);
    place_contributions(apart);
    EXPECT_LE(graph.contribution_entries, apart.contribution_entries);
    if (lent_blocks(graph) > 0) ++trees_with_lent;
  }
  EXPECT_GT(trees_with_lent, 30);
}

// The second child reaches the last tile alone, whose columns come last.
TEST(PlaceInFactors, GivesAChildThatComesLateTheColumnsThatWaitForIt) {
  const FrontTree tree = two_generations({0, 130});
  const TaskGraph graph = graph_of(tree);
  EXPECT_TRUE(validate_task_graph(tree, graph).passed);
  const FrontShape& root = graph.shape.back();
  EXPECT_EQ(lent_blocks(graph), 2);
  EXPECT_GE(graph.factor_entries + graph.shape[2].contribution, root.lower_place(2, 2));
  std::vector<FrontShape> early = graph.shape;
  early[2].contribution = root.upper_place(0, 1) - graph.factor_entries;
  const ValidatorVerdict verdict = validate_task_graph(tree, graph_of(tree, &early));
  EXPECT_FALSE(verdict.passed);
  EXPECT_THAT(verdict.message, testing::HasSubstr("need not be complete"));
}

// What no task stores of a tile on the diagonal would be a block's.
TEST(TaskGraphValidator, SeesTilesThatAreNotClearedWhereBlocksWere) {
  const FrontTree tree = two_generations({0, 0});
  TaskGraph graph = graph_of(tree);
  EXPECT_EQ(std::ranges::count(graph.lends, 1), 1);
  EXPECT_EQ(graph.lends.back(), 1);
  Index cleared = 0;
  for (FrontTask& task : graph.factorization.task) {
    if (task.kind != TaskKind::lent_diagonal) continue;
    EXPECT_GT(task.tile_row, 0);
    task.kind = TaskKind::diagonal;
    ++cleared;
  }
  EXPECT_EQ(cleared, 2);
  EXPECT_THAT(validate_task_graph(tree, graph).message, testing::HasSubstr("not cleared"));
}

TEST(TaskGraphValidator, SeesBlocksInThePlaceOfFactorsThatDoNotWaitForThem) {
  const FrontTree tree = two_generations({0, 0});
  const TaskGraph good = graph_of(tree);
  ASSERT_TRUE(validate_task_graph(tree, good).passed);
  ASSERT_EQ(lent_blocks(good), 2);
  const auto fault = [&](const auto& change) {
    std::vector<FrontShape> shapes = good.shape;
    change(shapes);
    return validate_task_graph(tree, graph_of(tree, &shapes)).message;
  };
  using Shapes = std::vector<FrontShape>;
  EXPECT_THAT(fault([](Shapes& shapes) { shapes[1].contribution = shapes[0].contribution; }),
              testing::HasSubstr("overwrites"));
  EXPECT_THAT(fault([&](Shapes& shapes) { shapes[2].contribution = -good.factor_entries; }),
              testing::HasSubstr("overwrites factors"));
  EXPECT_THAT(fault([](Shapes& shapes) { shapes[0].contribution = shapes[2].contribution; }),
              testing::HasSubstr("overwrit"));
}

}  // namespace
}  // namespace lufact
