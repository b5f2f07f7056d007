// SPDX-License-Identifier: BSD-3-Clause
// Contribution blocks in the place of factors that are not there yet: less memory, the same
// factors, and nothing that a validator finds overwritten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

// A front of three tiles of pivots; `children` of eight pivots, each with one child. Child c adds
// to the rows `first_row[c]` and following ones.
FrontTree two_generations(const std::vector<Index>& first_row) {
  constexpr Index pivots = 8, rows = 60, large = 192;
  FrontTree tree;
  const auto append = [&](Index front_pivots, Index parent, Index front_rows, Index first) {
    tree.first.push_back(tree.first.back() + front_pivots);
    tree.parent.push_back(parent);
    for (Index r = 0; r < front_rows; ++r) tree.parent_row.push_back(first + r);
    tree.row_ptr.push_back(static_cast<Offset>(tree.parent_row.size()));
    tree.entry_ptr.push_back(0);
  };
  const auto root = static_cast<Index>(2 * first_row.size());
  for (const Index first : first_row) {
    append(pivots, static_cast<Index>(tree.parent.size()) + 1, rows, 0);
    append(pivots, root, rows, first);
  }
  append(large, -1, 0, 0);
  tree.n = tree.first.back();
  tree.row.resize(tree.parent_row.size());
  // Positions of rows: those of the parent's front.
  for (Index f = 0; f < root; ++f) {
    const Index p = tree.parent[at(f)];
    for (Offset r = tree.row_ptr[at(f)]; r < tree.row_ptr[at(f) + 1]; ++r) {
      const Index inside = tree.parent_row[at(r)];
      tree.row[at(r)] = inside < tree.pivots(p) ? tree.first[at(p)] + inside : 0;
    }
  }
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
