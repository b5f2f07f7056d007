// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "core/base/random.hpp"
#include "core/columns/symbolic_gp_pruned.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/fill2/fill2_crossing.hpp"
#include "gpu/symbolic/fill2/fill2_symbolic.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class Fill2 : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

// Entries whose mirror image is an entry too.
CsrPattern symmetric_part(const CsrPattern& b) {
  CsrPattern part;
  part.n_rows = part.n_cols = b.n_rows;
  for (Index i = 0; i < b.n_rows; ++i) {
    for (const Index j : b.row(i)) {
      if (find_entry(b.view(), j, i) >= 0) part.col_idx.push_back(j);
    }
    part.row_ptr.push_back(static_cast<Offset>(part.col_idx.size()));
  }
  return part;
}

bool is_ancestor(const std::vector<Index>& parent, Index ancestor, Index v) {
  while (v >= 0 && v < ancestor) v = parent[static_cast<std::size_t>(v)];
  return v == ancestor;
}

// A random pattern in which `kept_percent` of the entries have their mirror images.
StructureCase partly_symmetric(Index n, Index per_row, int kept_percent) {
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < per_row; ++k) {
      const std::uint64_t random = hash64(static_cast<std::uint64_t>(kept_percent),
                                          static_cast<std::uint64_t>(i * per_row + k));
      const auto j = static_cast<Index>(random % static_cast<std::uint64_t>(n));
      triplets.push_back({i, j, 1});
      if (static_cast<int>(random >> 40) % 100 < kept_percent) triplets.push_back({j, i, 1});
    }
  }
  return make_case("partly_symmetric_" + std::to_string(n) + "_" + std::to_string(kept_percent), n,
                   triplets);
}

// From the last row, one threshold reaches `subtrees` vertices at once, more than a queue holds,
// and from each of them an entry.
StructureCase wide_passage(Index subtrees) {
  std::vector<test::Triplet> triplets{{2 * subtrees + 1, subtrees, 1}};
  for (Index k = 0; k < subtrees; ++k) {
    triplets.push_back({subtrees, k, 1});
    triplets.push_back({k, subtrees + 1 + k, 1});
  }
  return make_case("wide_passage_" + std::to_string(subtrees), 2 * subtrees + 2, triplets);
}

std::vector<StructureCase> fill2_cases() {
  std::vector<StructureCase> cases = small_cases();
  cases.push_back(wide_passage(40));
  cases.push_back(wide_passage(700));
  for (const int percent : {0, 50, 90, 99, 100}) {
    cases.push_back(partly_symmetric(150, 1, percent));
    cases.push_back(partly_symmetric(400, 2, percent));
  }
  return cases;
}

std::vector<Index> host_forest(const CsrPattern& b) {
  return elimination_tree(symmetric_part(b), Permutation::identity(b.n_rows));
}

TEST_F(Fill2, SanitizeForestIsTheEliminationTreeOfTheSymmetricPart) {
  for (const StructureCase& structure : fill2_cases()) {
    SCOPED_TRACE(structure.name);
    const CsrPattern& b = structure.matrix.pattern;
    StageHarness harness;
    const ProductPtr matrix = harness.upload(structure.matrix);
    const SymmetricForest forest = build_symmetric_forest(
        harness.session, product_cast<DevicePermutedMatrix>(*matrix).pattern(), b.nnz());
    const std::vector<Index> parent = host_forest(b);
    EXPECT_EQ(forest.parent.download(), parent);
    EXPECT_EQ(forest.one_sided, b.nnz() - symmetric_part(b).nnz());
    const std::vector<ForestStep> steps = forest.steps.download();
    for (std::size_t v = 0; v < parent.size(); ++v) {
      std::size_t last = v;
      while (last % 32 != 31 && parent[last] == static_cast<Index>(last) + 1) ++last;
      EXPECT_EQ(steps[v].last, static_cast<Index>(last));
      EXPECT_EQ(steps[v].next, parent[last]);
    }
  }
}

struct HostCrossings {
  std::vector<CrossingSlice> slices;
  std::vector<Index> targets, children;
  std::vector<unsigned> present;
};

using Edges = std::multiset<Index>;

Edges edges_between(const std::vector<Index>& values, Index begin, Index end) {
  return {values.begin() + begin, values.begin() + end};
}

// The crossing edges of every vertex by the definition.
std::vector<Edges> expected_edges(const CsrPattern& b, const std::vector<Index>& parent,
                                  EdgeDirection direction) {
  std::vector<Edges> edges(parent.size());
  for (Index i = 0; i < b.n_rows; ++i) {
    for (const Index j : b.row(i)) {
      if (is_ancestor(parent, i, j) || is_ancestor(parent, j, i)) continue;
      const bool forward = direction == EdgeDirection::row_to_column;
      edges[static_cast<std::size_t>(forward ? i : j)].insert(forward ? j : i);
    }
  }
  return edges;
}

void expect_crossings(const HostCrossings& crossing, const std::vector<Index>& parent,
                      const std::vector<Edges>& own) {
  std::vector<Edges> subtree = own;
  std::vector<Edges> children(parent.size());
  for (std::size_t v = 0; v < parent.size(); ++v) {
    const CrossingSlice& slice = crossing.slices[v];
    EXPECT_EQ(edges_between(crossing.targets, slice.own, slice.end), own[v]);
    EXPECT_EQ(edges_between(crossing.targets, slice.begin, slice.end), subtree[v]);
    EXPECT_EQ(
        edges_between(crossing.children, slice.child_begin, crossing.slices[v + 1].child_begin),
        children[v]);
    EXPECT_EQ(crossing.present[v / 32] >> v % 32 & 1, subtree[v].empty() ? 0u : 1u);
    if (parent[v] < 0) continue;
    const auto p = static_cast<std::size_t>(parent[v]);
    subtree[p].insert(subtree[v].begin(), subtree[v].end());
    if (!subtree[v].empty()) children[p].insert(static_cast<Index>(v));
  }
}

TEST_F(Fill2, SanitizeCrossingEdgesOfEverySubtreeAreConsecutive) {
  for (const StructureCase& structure : fill2_cases()) {
    SCOPED_TRACE(structure.name);
    const CsrPattern& b = structure.matrix.pattern;
    if (b.n_rows == 0) continue;
    StageHarness harness;
    const ProductPtr product = harness.upload(structure.matrix);
    const PatternRef matrix = product_cast<DevicePermutedMatrix>(*product).pattern();
    const SymmetricForest forest = build_symmetric_forest(harness.session, matrix, b.nnz());
    const SubtreeIntervals intervals =
        build_subtree_intervals(harness.session, b.n_rows, forest.parent.data());
    for (const auto direction : {EdgeDirection::row_to_column, EdgeDirection::column_to_row}) {
      const CrossingEdges edges =
          build_crossing_edges(harness.session, matrix, b.nnz(), forest, intervals, direction);
      const std::vector<Index> parent = host_forest(b);
      const std::vector<Edges> own = expected_edges(b, parent, direction);
      const std::vector<CrossingSlice> slices = edges.slices.download();
      const Index children = slices.back().child_begin;  // the buffer has room for more
      expect_crossings({slices, edges.targets.download(), edges.children.download(children),
                        edges.present.download()},
                       parent, own);
    }
  }
}

// Runs the stage and brings the pattern back.
std::shared_ptr<const ColumnPattern> run(StageHarness& harness, const PermutedMatrix& matrix) {
  const auto pattern = make_fill2_symbolic()->run(harness.upload(matrix), harness.context);
  return harness.download<ColumnPattern>(pattern);
}

void expect_pattern(const StructureCase& structure, const ColumnPattern& expected) {
  SCOPED_TRACE(structure.name);
  StageHarness harness;
  const auto pattern = run(harness, structure.matrix);
  ASSERT_NE(pattern, nullptr);
  expect_same(*pattern, expected);
  EXPECT_EQ(harness.session.ledger().in_use(), 0u);
}

void expect_reference_pattern(const StructureCase& structure) {
  expect_pattern(structure, reference::row_merge(structure.matrix.pattern));
}

// The oracle of larger matrices, where the merging of rows would take a minute.
ColumnPattern pruned_reference(const StructureCase& structure) {
  StageHarness harness;
  return factor_pattern_gp_pruned(structure.matrix.pattern.view(), harness.context);
}

TEST_F(Fill2, SanitizePatternsOfSmallMatricesAreThoseOfTheReference) {
  for (const StructureCase& structure : fill2_cases()) expect_reference_pattern(structure);
}

TEST_F(Fill2, PatternsOfLargerMatricesAreThoseOfThePrunedSearch) {
  std::vector<StructureCase> cases{random_case(2000, 1),  random_case(1000, 3),     chain(5000),
                                   folded_path(3000),     dense_last_rows(1500, 5), late_hub(1500),
                                   hidden_hub(3000, 1001)};
  for (const int percent : {20, 80, 98, 100}) {
    cases.push_back(partly_symmetric(2500, 1, percent));
    cases.push_back(partly_symmetric(1200, 2, percent));
  }
  for (const StructureCase& structure : cases) {
    expect_pattern(structure, pruned_reference(structure));
  }
}

// Marks of this size lie in device memory. Most rows are diagonal ones, so that it takes a moment.
StructureCase many_crossings(Index n) {
  std::vector<test::Triplet> triplets;
  const Index connected = n / 20;
  for (Index i = 3; i < connected; ++i) {
    triplets.push_back({i, i - 1 - i % 3, 1});
    if (i % 5 != 0) triplets.push_back({i - 1 - i % 3, i, 1});
    if (i % 1500 == 0) triplets.push_back({i, i / 2, 1});
  }
  return make_case("many_crossings_" + std::to_string(n), n, triplets);
}

TEST_F(Fill2, PatternsOfLongMatricesAreThoseOfThePrunedSearch) {
  for (const StructureCase& structure : {chain(300000), many_crossings(300000)}) {
    expect_pattern(structure, pruned_reference(structure));
  }
}

// Marks for all rows, some or few are in flight, and rows are kept from pass to pass or not.
TEST_F(Fill2, PatternDoesNotDependOnTheBudget) {
  const StructureCase structure = many_crossings(300000);
  const ColumnPattern expected = pruned_reference(structure);
  StageHarness unlimited;
  expect_same(*run(unlimited, structure.matrix), expected);
  const DeviceMemoryReport usage = unlimited.session.ledger().report();
  for (const std::uint64_t percent : {75, 30, 12}) {
    StageHarness harness({0, usage.resident_peak_bytes + usage.scratch_peak_bytes * percent / 100});
    expect_same(*run(harness, structure.matrix), expected);
    EXPECT_EQ(harness.notes.chunks, 2);
  }
}

}  // namespace
}  // namespace lufact::gpu
