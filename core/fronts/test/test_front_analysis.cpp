// SPDX-License-Identifier: BSD-3-Clause
// The steps of the analysis against plain counts, and the validators against damaged products.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/columns/test/stage_harness.hpp"
#include "core/fronts/analysis/column_counts.hpp"
#include "core/fronts/analysis/postordered_pattern.hpp"
#include "core/fronts/analysis/supernodes.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/reference/symbolic.hpp"
#include "core/verify/front_handlers.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

using namespace test;

// B + B' with its diagonal.
CsrPattern symmetrized(const PermutedMatrix& b) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < b.pattern.n_rows; ++i) {
    for (const Index j : b.pattern.row(i)) {
      entries.push_back({i, j, 1.0});
      entries.push_back({j, i, 1.0});
    }
  }
  return matrix_from_triplets(b.pattern.n_rows, std::move(entries)).pattern;
}

TEST(ColumnCounts, AreThoseOfTheFilledPattern) {
  for (const NamedMatrix& named : cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const PermutedMatrix b = natural_order(named.matrix);
    const Index n = b.pattern.n_rows;
    const PostorderedPattern pattern(b, 2);
    const Arrowheads entries = gather_arrowheads(pattern.view(), 2);
    ColumnForest forest{pattern.forest(), subtree_sizes(pattern.forest()), {}};
    const std::vector<Index> count = column_counts(entries, forest, 1);
    const Supernodes sets = find_supernodes(forest, count, 1, {});
    forest.ranges =
        cut_subtrees(forest.parent, forest.size, std::vector<Offset>(count.size(), 1), 3);
    EXPECT_EQ(column_counts(entries, forest, 3), count);
    EXPECT_EQ(find_supernodes(forest, count, 3, {}).column, sets.column);
    // A postorder does not change how many rows the column of a label has.
    const ColumnPattern filled = reference::row_merge(symmetrized(b));
    for (Index k = 0; k < n; ++k) {
      const auto row = static_cast<std::size_t>(pattern.label(k));
      const Offset right = filled.rows.row_ptr[row + 1] - filled.diagonal[row];
      ASSERT_EQ(count[static_cast<std::size_t>(k)], right) << "label " << row;
    }
    EXPECT_EQ(sets.first.back(), n);
    for (Index s = 0; s < sets.count(); ++s) {
      const Index above = sets.parent[static_cast<std::size_t>(s)];
      EXPECT_TRUE(above < 0 || above > s);
    }
  }
}

struct Products {
  PermutedMatrix b;
  FrontTree tree;
  TaskGraph graph;

  explicit Products(const CsrMatrix& a) {
    Harness harness;
    const auto matrix = natural_product(a);
    const ProductPtr fronts = make_cpu_fronts_symbolic()->run(matrix, harness.context);
    b = *matrix;
    tree = product_cast<FrontTree>(*fronts);
    graph = product_cast<TaskGraph>(*make_task_graph_levelize()->run(fronts, harness.context));
  }
};

// Small fronts below a front of several tiles, which contributes to a root.
Products products() {
  std::vector<Triplet> entries;
  constexpr Index leaves = 20, width = 12, middle = leaves * width, top = middle + 100;
  constexpr Index n = top + 80;
  const auto couple = [&](Index i, Index j, double value) {
    entries.push_back({i, j, value});
    if (i != j) entries.push_back({j, i, value});
  };
  for (Index i = 0; i < n; ++i) couple(i, i, 30.0);
  for (Index i = 0; i < middle; ++i) {
    for (Index j = i + 1; j < i / width * width + width; ++j) couple(i, j, 0.5);
    for (Index k = 0; k < 30; ++k) couple(i, middle + (i / width + 5 * k) % 100, 0.25);
  }
  for (Index i = middle; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j) {
      if (j < top || i >= top || (i + j) % 3 > 0) couple(i, j, 0.01);
    }
  }
  return Products(matrix_from_triplets(n, std::move(entries)));
}

TEST(FrontTreeValidator, SeesEveryDamage) {
  const Products whole = products();
  ASSERT_TRUE(validate_front_tree(whole.b, whole.tree).passed);
  const std::vector<std::function<void(FrontTree&)>> damages{
      [](FrontTree& tree) { std::swap(tree.label[3], tree.label[200]); },
      [](FrontTree& tree) { tree.label[3] = tree.label[4]; },
      [](FrontTree& tree) { tree.parent[0] = -1; },
      [](FrontTree& tree) { ++tree.row[1]; },
      [](FrontTree& tree) { ++tree.parent_row[0]; },
      [](FrontTree& tree) { tree.entry_source[5] = tree.entry_source[6]; },
      [](FrontTree& tree) { ++tree.entry_row[7]; },
      [](FrontTree& tree) { ++tree.first[1]; },
      [](FrontTree& tree) { tree.entry_source.pop_back(); },
  };
  for (std::size_t k = 0; k < damages.size(); ++k) {
    FrontTree tree = whole.tree;
    damages[k](tree);
    const ValidatorVerdict verdict = validate_front_tree(whole.b, tree);
    EXPECT_FALSE(verdict.passed) << "damage " << k;
    EXPECT_FALSE(verdict.message.empty());
  }
}

TEST(TaskGraphValidator, SeesEveryDamage) {
  const Products whole = products();
  ASSERT_TRUE(validate_task_graph(whole.tree, whole.graph).passed);
  const auto first_block = [](TaskGraph& graph) -> ChildBlock& { return graph.block.front(); };
  const std::vector<std::function<void(TaskGraph&)>> damages{
      [](TaskGraph& graph) {
        std::swap(graph.factorization.task.front(), graph.factorization.task.back());
      },
      [](TaskGraph& graph) { graph.factorization.task[1] = graph.factorization.task[0]; },
      [](TaskGraph& graph) { graph.factorization.task.pop_back(); },
      [](TaskGraph& graph) { graph.factorization.ticket.pop_back(); },
      [](TaskGraph& graph) { ++graph.entry_place[0]; },
      [](TaskGraph& graph) { graph.entry_source[0] = graph.entry_source[1]; },
      [&](TaskGraph& graph) { ++first_block(graph).row_begin; },
      [&](TaskGraph& graph) { ++first_block(graph).contribution; },
      [&](TaskGraph& graph) { ++first_block(graph).done; },
      [](TaskGraph& graph) {
        for (FrontShape& shape : graph.shape) shape.contribution = 0;
        for (ChildBlock& block : graph.block) block.contribution = 0;
      },
  };
  for (std::size_t k = 0; k < damages.size(); ++k) {
    TaskGraph graph = whole.graph;
    damages[k](graph);
    EXPECT_FALSE(validate_task_graph(whole.tree, graph).passed) << "damage " << k;
  }
}

TEST(FrontHandlers, FillTheKeysOfABound) {
  const Products whole = products();
  FactorsRecord record;
  for (const auto& handler : front_product_handlers()) {
    if (handler->type() == product_types::front_tree) {
      handler->describe(whole.b, nullptr, whole.tree, record);
    } else if (handler->type() == product_types::task_graph) {
      handler->describe(whole.b, &whole.tree, whole.graph, record);
    }
  }
  EXPECT_EQ(record.pattern, "bound");
  EXPECT_EQ(record.fronts, whole.tree.fronts());
  EXPECT_EQ(record.tasks, static_cast<Offset>(whole.graph.factorization.task.size()));
  EXPECT_GT(record.critical_path.value_or(0), 0);
  EXPECT_FALSE(record.levels.has_value());
  const ColumnPattern exact = reference::row_merge(whole.b.pattern);
  EXPECT_EQ(record.nnz_exact, exact.rows.nnz());
  EXPECT_GE(record.nnz_l.value_or(0) + record.nnz_u.value_or(0), exact.rows.nnz());
}

}  // namespace
}  // namespace lufact
