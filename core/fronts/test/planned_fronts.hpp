// SPDX-License-Identifier: BSD-3-Clause
// Matrices whose fronts are planned in parts, for tests.
#pragma once
#include <memory>
#include <vector>

#include "core/columns/test/stage_harness.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/fronts/plan/contribution_stack.hpp"
#include "core/fronts/plan/front_shapes.hpp"
#include "core/fronts/plan/task_order.hpp"
#include "core/fronts/plan/tile_tasks.hpp"
#include "core/reference/front_elimination.hpp"

namespace lufact::test {

// A complete binary tree of sets of `width` vertices, each joined with all sets above it.
inline CsrMatrix separator_tree(int depth, Index width) {
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
inline CsrMatrix star(Index paths, Index length) {
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

inline std::vector<NamedMatrix> front_matrices() {
  return {{"separators", separator_tree(7, 9)},
          {"wide separators", separator_tree(5, 40)},
          {"star", star(300, 30)},
          {"random", random_matrix(900, 3, 5)},
          {"dense", random_matrix(150, 75, 3)},
          {"diagonal", random_matrix(40, 0, 1)},
          {"empty", matrix_from_triplets(0, {})}};
}

// A matrix with its fronts and the plan of all of them at once.
struct PlannedFronts {
  Harness harness;
  std::shared_ptr<PermutedMatrix> b;
  ProductPtr tree_product, graph_product;

  explicit PlannedFronts(const CsrMatrix& a) : b(natural_product(a)) {
    tree_product = make_cpu_fronts_symbolic()->run(b, harness.context);
    graph_product = make_task_graph_levelize()->run(tree_product, harness.context);
  }
  const FrontTree& tree() const { return product_cast<FrontTree>(*tree_product); }
  const TaskGraph& at_once() const { return product_cast<TaskGraph>(*graph_product); }
  // All of them at once, with contribution blocks in arenas of their own.
  TaskGraph apart() const {
    return placed_by([](TaskGraph& graph) {
      place_contributions(graph);
      return FrontParts{};
    });
  }

  // place(graph) returns the parts of the fronts, whose shapes are there.
  template <class Place>
  TaskGraph placed_by(const Place& place) const {
    TaskGraph graph;
    shape_fronts(tree(), 2, graph);
    const FrontParts parts = place(graph);
    const std::vector<FrontTask> tasks = make_tile_tasks(tree(), 1, graph);
    order_factorization(tasks, parts, 2, graph);
    order_solve(tasks, {}, 2, graph);
    return graph;
  }
  TaskGraph in_parts(Offset most) const {
    return placed_by(
        [&](TaskGraph& graph) { return place_in_parts({.contributions = most}, graph); });
  }
  std::vector<double> factors(const TaskGraph& graph) const {
    return reference::eliminate_fronts(*b, tree(), graph, 1e-13).values;
  }
};

}  // namespace lufact::test
