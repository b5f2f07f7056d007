// SPDX-License-Identifier: BSD-3-Clause
// The front tree and the task graph: factors made by them solve the system, on every named matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/columns/test/stage_harness.hpp"
#include "core/fronts/analysis/group_children.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/fronts/plan/device_bytes.hpp"
#include "core/fronts/plan/tile_place.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/permute/permute.hpp"
#include "core/reference/front_elimination.hpp"
#include "core/verify/validate_fronts.hpp"

namespace lufact {
namespace {

using namespace test;

struct Planned {
  std::shared_ptr<PermutedMatrix> b;
  ProductPtr tree_product, graph_product;

  explicit Planned(const CsrMatrix& a, int threads = 1) : b(natural_product(a)) {
    Harness harness(threads);
    give_scales(*b, 5);
    tree_product = make_cpu_fronts_symbolic()->run(b, harness.context);
    graph_product = make_task_graph_levelize()->run(tree_product, harness.context);
  }
  const FrontTree& tree() const { return product_cast<FrontTree>(*tree_product); }
  const TaskGraph& graph() const { return product_cast<TaskGraph>(*graph_product); }
};

// ||b - Ax|| / (||A|| ||x|| + ||b||) of the solution with the twin's factors, in scaled terms.
double backward_error(const Planned& planned, Pivoting pivoting = Pivoting::fixed_rows) {
  const PermutedMatrix& b = *planned.b;
  const auto factors =
      reference::eliminate_fronts(b, planned.tree(), planned.graph(), 1e-13, pivoting);
  const auto n = static_cast<std::size_t>(b.pattern.n_rows);
  std::vector<double> rhs(n), x;
  for (std::size_t i = 0; i < n; ++i) rhs[i] = symmetric_interval(hash64(77, i));
  x = rhs;
  reference::solve_fronts(planned.tree(), planned.graph().shape, factors.values,
                          factors.row_sources, x, 1);
  double error = 0, x_norm = 0, b_norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double r = rhs[i];
    for (Offset p = b.pattern.row_ptr[i]; p < b.pattern.row_ptr[i + 1]; ++p) {
      const auto j = static_cast<std::size_t>(b.pattern.col_idx[static_cast<std::size_t>(p)]);
      r -= b.row_scale[i] * b.values[static_cast<std::size_t>(p)] * b.col_scale[j] * x[j];
    }
    error = std::max(error, std::abs(r));
    x_norm = std::max(x_norm, std::abs(x[i]));
    b_norm = std::max(b_norm, std::abs(rhs[i]));
  }
  return n == 0 ? 0 : error / (b.scaled_norm * x_norm + b_norm);
}

std::vector<NamedMatrix> matrices() {
  std::vector<NamedMatrix> list = cpu_matrices();
  for (const Index n : {63, 64, 65, 127, 129, 200}) {
    list.push_back({"dense rows " + std::to_string(n), random_matrix(n, n / 2, 3)});
  }
  list.push_back({"random 600", random_matrix(600, 3, 11)});
  return list;
}

TEST(Fronts, FactorsByTheTaskGraphSolveTheSystem) {
  for (const NamedMatrix& named : matrices()) {
    if (!named.dominant) continue;
    SCOPED_TRACE(named.name);
    for (const Pivoting pivoting : {Pivoting::fixed_rows, Pivoting::diagonal_block}) {
      EXPECT_LT(backward_error(Planned(named.matrix), pivoting), 1e-12);
    }
  }
}

TEST(Fronts, AndTaskGraphsPassTheirValidators) {
  for (const NamedMatrix& named : matrices()) {
    SCOPED_TRACE(named.name);
    const Planned planned(named.matrix);
    const ValidatorVerdict tree = validate_front_tree(*planned.b, planned.tree());
    EXPECT_TRUE(tree.passed) << tree.message;
    const ValidatorVerdict graph = validate_task_graph(planned.tree(), planned.graph());
    EXPECT_TRUE(graph.passed) << graph.message;
  }
}

TEST(Fronts, DoNotDependOnTheNumberOfThreads) {
  const CsrMatrix a = random_matrix(8000, 3, 2);
  const Planned one(a, 1), several(a, 5);
  EXPECT_EQ(one.tree().label, several.tree().label);
  EXPECT_EQ(one.tree().row, several.tree().row);
  EXPECT_EQ(one.tree().parent_row, several.tree().parent_row);
  EXPECT_EQ(one.tree().entry_source, several.tree().entry_source);
  EXPECT_EQ(one.graph().entry_place, several.graph().entry_place);
  EXPECT_EQ(one.graph().factorization.ticket, several.graph().factorization.ticket);
}

// Entries of the tree as a stable sort by task places them, which is how a device does it.
TEST(TaskGraph, HasEntriesInTheOrderOfAStableSortByTask) {
  for (const NamedMatrix& named : matrices()) {
    SCOPED_TRACE(named.name);
    const Planned planned(named.matrix);
    const FrontTree& tree = planned.tree();
    const TaskGraph& graph = planned.graph();
    std::vector<std::tuple<Offset, Index, std::uint16_t>> entries;  // by task
    std::vector<Offset> first_task{0};
    for (Index f = 0; f < tree.fronts(); ++f) {
      const FrontShape& shape = graph.shape[at(f)];
      for (Offset p = tree.entry_ptr[at(f)]; p < tree.entry_ptr[at(f) + 1]; ++p) {
        const TilePlace row = tile_place(shape, tree.entry_row[at(p)]);
        const TilePlace column = tile_place(shape, tree.entry_column[at(p)]);
        entries.emplace_back(first_task.back() + row.tile * std::max(shape.tiles, 1) + column.tile,
                             tree.entry_source[at(p)], entry_place(row.inside, column.inside));
      }
      first_task.push_back(first_task.back() + tile_tasks(shape));
    }
    std::ranges::stable_sort(entries, {}, [](const auto& entry) { return std::get<0>(entry); });
    ASSERT_EQ(entries.size(), graph.entry_source.size());
    for (std::size_t q = 0; q < entries.size(); ++q) {
      EXPECT_EQ(graph.entry_source[q], std::get<1>(entries[q]));
      EXPECT_EQ(graph.entry_place[q], std::get<2>(entries[q]));
    }
    for (const FrontTask& task : graph.factorization.task) {
      const Index tiles = std::max(graph.shape[at(task.front)].tiles, 1);
      const Offset number = first_task[at(task.front)] + task.tile_row * tiles + task.tile_column;
      for (Index q = task.entry_begin; q < task.entry_end; ++q) {
        EXPECT_EQ(std::get<0>(entries[at(q)]), number);
      }
    }
  }
}

TEST(TaskGraph, OfATreeWhoseEntriesAreElsewhereDiffersInItsEntriesAlone) {
  const Planned planned(random_matrix(600, 3, 11));
  FrontTree tree = planned.tree();
  tree.entries_there = planned.tree_product;
  tree.entry_source.clear();
  tree.entry_row.clear();
  tree.entry_column.clear();
  Harness harness(1);
  const ProductPtr product =
      make_task_graph_levelize()->run(std::make_shared<FrontTree>(tree), harness.context);
  const auto& graph = product_cast<TaskGraph>(*product);
  const TaskGraph& whole = planned.graph();
  EXPECT_EQ(graph.entries_there, planned.tree_product);
  EXPECT_TRUE(graph.entry_source.empty() && graph.entry_place.empty());
  EXPECT_EQ(graph.entries(), whole.entries());
  EXPECT_EQ(graph.factorization.ticket, whole.factorization.ticket);
  EXPECT_EQ(graph.block.size(), whole.block.size());
  EXPECT_EQ(front_product_bytes(tree, graph), front_product_bytes(planned.tree(), whole));
  ASSERT_EQ(graph.factorization.task.size(), whole.factorization.task.size());
  for (std::size_t t = 0; t < graph.factorization.task.size(); ++t) {
    const FrontTask &task = graph.factorization.task[t], &other = whole.factorization.task[t];
    EXPECT_EQ(task.front, other.front);
    EXPECT_EQ(task.tile_row, other.tile_row);
    EXPECT_EQ(task.tile_column, other.tile_column);
    EXPECT_EQ(task.block_begin, other.block_begin);
    EXPECT_EQ(task.entry_begin, task.entry_end);
  }
}

std::vector<std::tuple<Index, Index, Index>> tiles_of(const OrderedTasks& tasks) {
  std::vector<std::tuple<Index, Index, Index>> tiles;
  for (const FrontTask& task : tasks.task) {
    tiles.emplace_back(task.front, task.tile_row, task.tile_column);
  }
  return tiles;
}

// Dense blocks as the nodes of a binary tree, each with a row of the block above it, root last.
CsrMatrix tree_of_blocks(Index blocks, Index order) {
  std::vector<Triplet> entries;
  for (Index b = 0; b < blocks; ++b) {
    const Index first = (blocks - 1 - b) * order;
    for (Index i = 0; i < order; ++i) {
      for (Index j = 0; j < order; ++j) {
        entries.push_back({first + i, first + j, i == j ? 2.0 * order : 1.0});
      }
    }
    if (b == 0) continue;
    const Index last = first + order - 1, above = (blocks - 1 - (b - 1) / 2) * order;
    entries.push_back({last, above, 1.0});
    entries.push_back({above, last, 1.0});
  }
  return matrix_from_triplets(blocks * order, std::move(entries));
}

// Sets of columns enough that several threads number them, fronts enough that they shape them and
// order their tasks.
TEST(TaskGraph, DoesNotDependOnTheNumberOfThreads) {
  const CsrMatrix a = tree_of_blocks(11'000, 9);
  const Planned one(a, 1), several(a, 5);
  ASSERT_GT(one.tree().fronts(), 4200);
  EXPECT_EQ(one.tree().first, several.tree().first);
  EXPECT_EQ(one.tree().parent, several.tree().parent);
  EXPECT_EQ(one.tree().label, several.tree().label);
  EXPECT_EQ(tiles_of(one.graph().factorization), tiles_of(several.graph().factorization));
  EXPECT_EQ(one.graph().factorization.ticket, several.graph().factorization.ticket);
  EXPECT_EQ(tiles_of(one.graph().solve), tiles_of(several.graph().solve));
  EXPECT_EQ(one.graph().solve.ticket, several.graph().solve.ticket);
  EXPECT_EQ(one.graph().child, several.graph().child);
  EXPECT_EQ(one.graph().factor_entries, several.graph().factor_entries);
  EXPECT_EQ(one.graph().flags, several.graph().flags);
  for (std::size_t f = 0; f < one.graph().shape.size(); ++f) {
    const FrontShape &shape = one.graph().shape[f], &same = several.graph().shape[f];
    ASSERT_EQ(std::tuple(shape.factors, shape.flags, shape.contribution, shape.child_end),
              std::tuple(same.factors, same.flags, same.contribution, same.child_end));
  }
}

// Less than a unit of rows is padded for pivots and for contribution rows each.
TEST(TaskGraph, StoredTilesFollowEachOtherWithoutGaps) {
  int cut = 0;
  for (const NamedMatrix& named : matrices()) {
    SCOPED_TRACE(named.name);
    for (const FrontShape& shape : Planned(named.matrix).graph().shape) {
      if (shape.small() || shape.pivots == 0) continue;
      ++cut;
      Offset place = shape.factors;
      Index rows = 0;
      for (Index i = 0; i < shape.tiles; ++i) {
        EXPECT_EQ(shape.stored_rows(i) % stored_unit, 0);
        rows += shape.stored_rows(i);
      }
      EXPECT_EQ(rows, shape.all_stored_rows());
      EXPECT_LT(rows, shape.pivots + shape.rows + 2 * stored_unit - 1);
      for (Index k = 0; k < shape.pivot_tiles; ++k) {
        for (Index i = k; i < shape.tiles; ++i) {
          EXPECT_EQ(shape.lower_place(i, k), place);
          place += Offset{shape.stored_rows(i)} * shape.stored_pivots(k);
        }
        for (Index i = k; i < shape.tiles; ++i) {
          EXPECT_EQ(shape.upper_place(k, i), place);
          place += Offset{shape.stored_rows(i)} * shape.stored_pivots(k);
        }
      }
      EXPECT_EQ(place - shape.factors, shape.stored_entries());
    }
  }
  EXPECT_GT(cut, 5);
}

TEST(Fronts, AreTheSameWhetherTheMatrixBringsItsForestOrNot) {
  const CsrMatrix a = random_matrix(8000, 3, 2);
  Matching matching;
  matching.rows = Permutation::identity(8000);
  matching.row_scale = matching.col_scale = std::vector<double>(8000, 1.0);
  const auto given = build_permuted_matrix(
      a, matching, compose_postorder(a.pattern, {.perm = Permutation::identity(8000)}));
  ASSERT_EQ(given->forest.size(), 8000u);
  const auto found = std::make_shared<PermutedMatrix>(*given);
  found->forest.clear();
  Harness harness(3);
  const ProductPtr first = make_cpu_fronts_symbolic()->run(given, harness.context);
  const ProductPtr second = make_cpu_fronts_symbolic()->run(found, harness.context);
  const auto& one = product_cast<FrontTree>(*first);
  const auto& other = product_cast<FrontTree>(*second);
  EXPECT_EQ(one.label, other.label);
  EXPECT_EQ(one.first, other.first);
  EXPECT_EQ(one.parent, other.parent);
  EXPECT_EQ(one.row, other.row);
  EXPECT_EQ(one.entry_source, other.entry_source);
  EXPECT_EQ(one.entry_row, other.entry_row);
  const ValidatorVerdict verdict = validate_front_tree(*given, one);
  EXPECT_TRUE(verdict.passed) << verdict.message;
}

TEST(Fronts, ManyChildrenAreGrouped) {
  // A star of stars: the last vertex is joined with the ends of 300 paths of 70 vertices.
  std::vector<Triplet> entries;
  constexpr Index paths = 300, length = 70, n = paths * length + 1;
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, 4.0});
  for (Index p = 0; p < paths; ++p) {
    for (Index k = 0; k < length; ++k) {
      const Index i = p * length + k, next = k + 1 < length ? i + 1 : n - 1;
      entries.push_back({i, next, 1.0});
      entries.push_back({next, i, 0.5});
    }
  }
  const Planned planned(matrix_from_triplets(n, std::move(entries)));
  for (const FrontShape& shape : planned.graph().shape) {
    EXPECT_LE(shape.child_end - shape.child_begin, most_children);
  }
  EXPECT_LT(backward_error(planned), 1e-12);
}

TEST(Fronts, ContributionBlocksShareMemory) {
  std::vector<Triplet> entries;
  constexpr Index n = 6000;
  for (Index i = 0; i < n; ++i) {
    entries.push_back({i, i, 8.0});
    for (const Index j : {i + 1, i + 40}) {
      if (j >= n) continue;
      entries.push_back({i, j, 1.0});
      entries.push_back({j, i, 1.0});
    }
  }
  const Planned planned(matrix_from_triplets(n, std::move(entries)));
  Offset all = 0;
  for (const FrontShape& shape : planned.graph().shape) all += Offset{shape.rows} * shape.rows;
  EXPECT_LT(4 * planned.graph().contribution_entries, all);
  EXPECT_LT(backward_error(planned), 1e-12);
}

}  // namespace
}  // namespace lufact
