// SPDX-License-Identifier: BSD-3-Clause
// Contribution blocks in parts: within the limit, complete and in order, and with the same factors.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/columns/test/stage_harness.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/fronts/plan/contribution_stack.hpp"
#include "core/fronts/plan/front_shapes.hpp"
#include "core/fronts/plan/task_order.hpp"
#include "core/fronts/plan/tile_tasks.hpp"
#include "core/reference/front_elimination.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

using namespace test;

// A complete binary tree of sets of `width` vertices, each joined with all sets above it.
CsrMatrix separator_tree(int depth, Index width) {
  const Index sets = (Index{1} << depth) - 1, n = sets * width;
  std::vector<Triplet> entries;
  for (Index s = 1; s <= sets; ++s) {  // numbered from the root as a heap, stored from the end
    for (Index i = 0; i < width; ++i) {
      for (Index above = s; above > 0; above /= 2) {
        for (Index j = 0; j < width; ++j) {
          const Index row = n - s * width + i, column = n - above * width + j;
          entries.push_back({row, column, row == column ? 4.0 * n : 1.0 + (i + 2 * j + s) % 5});
          if (above != s) entries.push_back({column, row, 1.0 + (3 * i + j + s) % 7});
        }
      }
    }
  }
  return matrix_from_triplets(n, std::move(entries));
}

// Paths that meet in one vertex, which makes grouping fronts.
CsrMatrix star(Index paths, Index length) {
  const Index n = paths * length + 1;
  std::vector<Triplet> entries;
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, 4.0 * n});
  for (Index p = 0; p < paths; ++p) {
    for (Index k = 0; k < length; ++k) {
      const Index i = p * length + k, next = k + 1 < length ? i + 1 : n - 1;
      entries.push_back({i, next, 1.0});
      entries.push_back({next, i, 0.5});
    }
  }
  return matrix_from_triplets(n, std::move(entries));
}

std::vector<NamedMatrix> matrices() {
  return {{"separators", separator_tree(7, 9)},
          {"wide separators", separator_tree(5, 40)},
          {"star", star(300, 30)},
          {"random", random_matrix(900, 3, 5)},
          {"dense", random_matrix(150, 75, 3)},
          {"diagonal", random_matrix(40, 0, 1)},
          {"empty", matrix_from_triplets(0, {})}};
}

struct Problem {
  Harness harness;
  std::shared_ptr<PermutedMatrix> b;
  ProductPtr tree_product, graph_product;

  explicit Problem(const CsrMatrix& a) : b(natural_product(a)) {
    tree_product = make_cpu_fronts_symbolic()->run(b, harness.context);
    graph_product = make_task_graph_levelize()->run(tree_product, harness.context);
  }
  const FrontTree& tree() const { return product_cast<FrontTree>(*tree_product); }
  const TaskGraph& at_once() const { return product_cast<TaskGraph>(*graph_product); }

  TaskGraph in_parts(Offset most) const {
    TaskGraph graph;
    shape_fronts(tree(), 2, graph);
    const FrontParts parts = place_in_parts(most, graph);
    const std::vector<FrontTask> tasks = make_tile_tasks(tree(), 1, graph);
    order_factorization(tasks, parts, 2, graph);
    order_solve(tasks, 2, graph);
    return graph;
  }
  std::vector<double> factors(const TaskGraph& graph) const {
    return reference::eliminate_fronts(*b, tree(), graph, 1e-13).values;
  }
};

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
  for (const NamedMatrix& named : matrices()) {
    SCOPED_TRACE(named.name);
    const Problem problem(named.matrix);
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
  for (const NamedMatrix& named : matrices()) {
    SCOPED_TRACE(named.name);
    const Problem problem(named.matrix);
    const Offset all = problem.at_once().contribution_entries;
    const Offset alive = sequential_peak(problem.at_once());
    for (const Offset most : {all, all / 2, all / 5, all / 30, Offset{0}}) {
      EXPECT_LE(problem.in_parts(most).contribution_entries, 2 * (alive + most)) << most;
    }
    EXPECT_EQ(problem.in_parts(all).part_end.size(), 1u);
  }
}

TEST(PlaceInParts, SmallerPartsTakeLessMemory) {
  const Problem problem(separator_tree(8, 12));
  const Offset all = problem.at_once().contribution_entries;
  const TaskGraph some = problem.in_parts(all / 4), many = problem.in_parts(all / 32);
  EXPECT_GT(some.part_end.size(), 4u);
  EXPECT_GT(many.part_end.size(), 32u);
  EXPECT_LT(some.contribution_entries, all / 2);
  EXPECT_LT(many.contribution_entries, all / 8);
}

TEST(TaskGraphParts, IsAStageThatTakesLessMemoryAndPassesItsValidator) {
  Problem problem(separator_tree(8, 12));
  const ProductPtr product =
      make_task_graph_parts_levelize()->run(problem.tree_product, problem.harness.context);
  const auto& graph = product_cast<TaskGraph>(*product);
  EXPECT_LT(4 * graph.contribution_entries, problem.at_once().contribution_entries);
  EXPECT_GT(graph.part_end.size(), 1u);
  const ValidatorVerdict verdict = validate_task_graph(problem.tree(), graph);
  EXPECT_TRUE(verdict.passed) << verdict.message;
}

TEST(TaskGraphValidator, SeesPartsThatAreNotKeptApart) {
  const Problem problem(separator_tree(7, 12));
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
