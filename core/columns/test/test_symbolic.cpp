// SPDX-License-Identifier: BSD-3-Clause
// What is particular to one stage; app/test/test_host_symbolic.cpp tests what all have in common.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/columns/elimination_forest.hpp"
#include "core/columns/symbolic_gp_pruned.hpp"
#include "core/columns/symbolic_parallel.hpp"
#include "core/columns/test/dense_elimination.hpp"
#include "core/columns/test/stage_harness.hpp"

namespace lufact {
namespace {

using test::Harness;

std::vector<std::string> phase_names(Harness& harness) {
  std::vector<std::string> names;
  for (const PhaseTime& phase : harness.phases.take()) names.push_back(phase.name);
  return names;
}

TEST(GpPruned, ReportsProgressOfLongSearches) {
  class Counter final : public Progress {
   public:
    void report(std::string_view, Offset done, Offset total) override {
      EXPECT_GT(done, last);
      EXPECT_LE(done, total);
      last = done;
    }
    Offset last = 0;
  } counter;
  const auto b = test::natural_product(test::random_matrix(9000, 0, 1));
  Harness harness;
  harness.context.progress = &counter;
  make_gp_pruned_symbolic()->run(b, harness.context);
  EXPECT_GT(counter.last, 0);
}

// B under another labelling: new label k is old label order[k].
CsrPattern relabelled(const CsrPattern& b, const std::vector<Index>& order) {
  std::vector<Index> label(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    label[std::size_t(order[k])] = static_cast<Index>(k);
  }
  std::vector<test::Triplet> triplets;
  for (Index i = 0; i < b.n_rows; ++i) {
    for (const Index j : b.row(i)) {
      triplets.push_back({label[std::size_t(i)], label[std::size_t(j)], 1.0});
    }
  }
  return test::matrix_from_triplets(b.n_rows, triplets).pattern;
}

// All leaves first, then their parents: an equivalent reordering, far from a postorder.
std::vector<Index> order_by_height(const CsrPattern& b) {
  const auto parent = elimination_forest(EarlierNeighbours(b.view(), 1), 1);
  std::vector<Index> height(parent.size(), 0), order(parent.size());
  for (std::size_t k = 0; k < parent.size(); ++k) {
    if (parent[k] < 0) continue;
    Index& above = height[std::size_t(parent[k])];
    above = std::max(above, height[k] + 1);
  }
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index c) {
    return height[std::size_t(a)] < height[std::size_t(c)];
  });
  return order;
}

void expect_pattern_on_threads(const CsrPattern& b) {
  const CsrPattern expected = test::to_csr(test::eliminate_pattern(b));
  for (const int threads : {1, 3}) {
    SCOPED_TRACE(threads);
    Harness harness;
    const ColumnPattern found = factor_pattern_parallel(b.view(), threads, harness.context);
    EXPECT_EQ(found.rows.row_ptr, expected.row_ptr);
    EXPECT_EQ(found.rows.col_idx, expected.col_idx);
  }
}

TEST(ParallelSymbolic, FindsTheSamePatternOnAnyNumberOfThreadsUnderAnyLabels) {
  for (const auto& named : test::cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const CsrPattern& b = named.matrix.pattern;
    expect_pattern_on_threads(b);
    expect_pattern_on_threads(relabelled(b, order_by_height(b)));
    std::vector<Index> backwards(std::size_t(b.n_rows));
    std::iota(backwards.rbegin(), backwards.rend(), 0);
    expect_pattern_on_threads(relabelled(b, backwards));
  }
}

// Paths of many panels, with blocks around the width of a word.
TEST(ParallelSymbolic, FindsPatternsAroundTheWidthOfAPanel) {
  for (const Index n : {31, 32, 33, 63, 64, 65, 127, 128, 129, 200}) {
    for (const Index per_row : {2, 6, 20}) {
      SCOPED_TRACE(n);
      const auto seed = static_cast<std::uint64_t>(n + per_row);
      const CsrPattern b = test::random_matrix(n, per_row, seed, 3).pattern;
      expect_pattern_on_threads(b);
      expect_pattern_on_threads(symmetric_graph(b.view()));
    }
  }
}

TEST(ParallelSymbolic, EliminatesOnlyWhereThePatternIsUnsymmetric) {
  Harness harness;
  const CsrPattern b = test::random_matrix(40, 3, 9).pattern;
  factor_pattern_parallel(b.view(), 1, harness.context);
  EXPECT_EQ(phase_names(harness),
            (std::vector<std::string>{"forest", "slots", "fronts", "count", "rows"}));
  factor_pattern_parallel(symmetric_graph(b.view()).view(), 1, harness.context);
  EXPECT_EQ(phase_names(harness), (std::vector<std::string>{"forest", "slots", "count", "rows"}));
}

}  // namespace
}  // namespace lufact
