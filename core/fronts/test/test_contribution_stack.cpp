// SPDX-License-Identifier: BSD-3-Clause
// Contribution blocks in parts: within the limit, complete and in order, and with the same factors.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/fronts/test/planned_fronts.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

using namespace test;

Offset block(const FrontShape& shape) {
  return (Offset{shape.rows} * shape.rows + 3) / 4 * 4;
}

// The most that blocks take when fronts come one after the other and each block goes with its
// parent.
Offset sequential_peak(const TaskGraph& graph) {
  Offset live = 0, peak = 0;
  for (const FrontShape& shape : graph.shape) {
    live += block(shape);
    peak = std::max(peak, live);
    for (Index c = shape.child_begin; c < shape.child_end; ++c) {
      live -= block(graph.shape[at(graph.child[at(c)])]);
    }
  }
  return peak;
}

TEST(PlaceInParts, EveryTaskOnceInOrderAndTheFactorsOfAllAtOnce) {
  for (const NamedMatrix& named : front_matrices()) {
    SCOPED_TRACE(named.name);
    const PlannedFronts problem(named.matrix);
    const std::vector<double> expected = problem.factors(problem.at_once());
    const Offset all = problem.at_once().contribution_entries;
    for (const Offset most : {all, all / 2, all / 5, all / 30, Offset{1}, Offset{0}}) {
      SCOPED_TRACE(most);
      const TaskGraph graph = problem.in_parts(most);
      const ValidatorVerdict verdict = validate_task_graph(problem.tree(), graph);
      EXPECT_TRUE(verdict.passed) << verdict.message;
      EXPECT_EQ(problem.factors(graph), expected);
      EXPECT_EQ(graph.solve.ticket, problem.at_once().solve.ticket);
    }
  }
}

TEST(PlaceInParts, StaysWithinWhatItsPartsMayTakeBesideWhatIsAlive) {
  for (const NamedMatrix& named : front_matrices()) {
    SCOPED_TRACE(named.name);
    const PlannedFronts problem(named.matrix);
    const Offset all = problem.apart().contribution_entries;
    const Offset alive = sequential_peak(problem.apart());
    for (const Offset most : {all, all / 2, all / 5, all / 30, Offset{0}}) {
      EXPECT_LE(problem.in_parts(most).contribution_entries, 2 * (alive + most)) << most;
    }
    EXPECT_EQ(problem.in_parts(all).part_end.size(), 1u);
  }
}

TEST(PlaceInParts, SmallerPartsTakeLessMemory) {
  const PlannedFronts problem(separator_tree(8, 12));
  const Offset all = problem.apart().contribution_entries;
  const TaskGraph some = problem.in_parts(all / 4), many = problem.in_parts(all / 32);
  EXPECT_GT(some.part_end.size(), 4u);
  EXPECT_GT(many.part_end.size(), 32u);
  EXPECT_LT(some.contribution_entries, all / 2);
  EXPECT_LT(many.contribution_entries, all / 8);
}

TEST(TaskGraphParts, IsAStageThatTakesLessMemoryAndPassesItsValidator) {
  PlannedFronts problem(separator_tree(8, 12));
  const ProductPtr product =
      make_task_graph_parts_levelize()->run(problem.tree_product, problem.harness.context);
  const auto& graph = product_cast<TaskGraph>(*product);
  EXPECT_LT(4 * graph.contribution_entries, problem.at_once().contribution_entries);
  EXPECT_GT(graph.part_end.size(), 1u);
  const ValidatorVerdict verdict = validate_task_graph(problem.tree(), graph);
  EXPECT_TRUE(verdict.passed) << verdict.message;
}

TEST(TaskGraphValidator, SeesPartsThatAreNotKeptApart) {
  const PlannedFronts problem(separator_tree(7, 12));
  const TaskGraph whole = problem.in_parts(problem.at_once().contribution_entries / 8);
  ASSERT_TRUE(validate_task_graph(problem.tree(), whole).passed);
  TaskGraph joined = whole, shorter = whole, shifted = whole;
  joined.part_end = {joined.factorization.tickets()};
  shorter.part_end.pop_back();
  --shifted.part_end.front();
  for (const TaskGraph& graph : {joined, shorter, shifted}) {
    EXPECT_FALSE(validate_task_graph(problem.tree(), graph).passed);
  }
}

}  // namespace
}  // namespace lufact
