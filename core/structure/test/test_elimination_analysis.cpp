// SPDX-License-Identifier: BSD-3-Clause
// Counts and heights against the sequential elimination of core/reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "core/structure/elimination_analysis.hpp"
#include "core/structure/tree_levels.hpp"
#include "core/verify/column_counts.hpp"

namespace lufact {
namespace {

using namespace test;

constexpr std::uint64_t any_bytes = std::uint64_t{1} << 40;

// B + B' with its diagonal.
CsrPattern symmetrized(const CsrPattern& b) {
  std::vector<Triplet> entries;
  for (Index i = 0; i < b.n_rows; ++i) {
    for (const Index j : b.row(i)) {
      entries.push_back({i, j, 1.0});
      entries.push_back({j, i, 1.0});
    }
  }
  return matrix_from_triplets(b.n_rows, std::move(entries)).pattern;
}

TEST(EliminationAnalysis, CountsAsTheReferenceEliminates) {
  for (const NamedMatrix& named : cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const PermutedMatrix b = natural_order(named.matrix);
    const CsrPattern both = symmetrized(b.pattern);
    const ColumnPattern filled = reference::row_merge(both);
    for (const int threads : {1, 3}) {
      const EliminationAnalysis analysis(b, threads);
      EXPECT_EQ(analysis.nnz_lu(), filled.rows.nnz());
      EXPECT_EQ(analysis.flops(), count_pattern(filled).flops);
      EXPECT_EQ(analysis.exact(), both.nnz() == b.pattern.nnz());
    }
  }
}

TEST(EliminationAnalysis, HeightsAreTheLevelsOfTheReference) {
  for (const NamedMatrix& named : cpu_matrices()) {
    SCOPED_TRACE(named.name);
    const PermutedMatrix b = natural_order(named.matrix);
    const EliminationAnalysis analysis(b, 1);
    const std::vector<Index> height = tree_heights(analysis.parent());
    const ColumnSchedule levels =
        reference::levelize(reference::row_merge(symmetrized(b.pattern)), DependencyRule::relaxed);
    for (Index k = 0; k < analysis.size(); ++k) {
      ASSERT_EQ(height[at(k)], levels.level_of[at(analysis.label(k))]) << "position " << k;
    }
    const std::vector<Offset> widths = level_widths(height);
    EXPECT_EQ(std::ssize(widths), levels.levels());
    EXPECT_EQ(widths.empty() ? 0 : *std::ranges::max_element(widths), levels.max_width());
  }
}

TEST(EliminationAnalysis, NestedColumnsAreThePatternItself) {
  for (const NamedMatrix& named : cpu_matrices()) {
    SCOPED_TRACE(named.name);
    if (named.matrix.pattern.n_rows > 500) continue;  // every entry of L is looked for below
    const PermutedMatrix b = natural_order(named.matrix);
    const ColumnPattern filled = reference::row_merge(symmetrized(b.pattern));
    const EliminationAnalysis analysis(b, 2);
    const FrontTree tree = analysis.nested_columns(any_bytes);
    Offset entries = 0;
    for (Index f = 0; f < tree.fronts(); ++f) {
      const Offset pivots = tree.pivots(f);
      entries += pivots * pivots + 2 * pivots * tree.contributions(f);
      for (Index k = tree.first[at(f)]; k < tree.first[at(f) + 1]; ++k) {
        for (Offset p = tree.row_ptr[at(f)]; p < tree.row_ptr[at(f) + 1]; ++p) {
          ASSERT_GE(
              find_entry(filled.rows.view(), tree.label[at(tree.row[at(p)])], tree.label[at(k)]),
              0);
        }
      }
    }
    EXPECT_EQ(entries, filled.rows.nnz());
  }
}

TEST(EliminationAnalysis, SaysWhatItsStructureWouldNeed) {
  // A star in natural order, its centre last: 9 leaves with one row each.
  std::vector<Triplet> entries;
  for (Index i = 0; i < 10; ++i) {
    entries.push_back({i, i, 4.0});
    if (i < 9) entries.push_back({i, 9, 1.0});
    if (i < 9) entries.push_back({9, i, 1.0});
  }
  const PermutedMatrix b = natural_order(matrix_from_triplets(10, std::move(entries)));
  const EliminationAnalysis analysis(b, 1);
  // The last leaf and the centre have nested structure: one set without rows.
  EXPECT_EQ(analysis.nested_columns(8 * sizeof(Index)).fronts(), 9);
  try {
    analysis.nested_columns(8 * sizeof(Index) - 1);
    FAIL() << "more memory than allowed";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_host);
    EXPECT_THAT(error.what(), testing::HasSubstr("--ordering"));
  }
}

TEST(TreeLevels, OfAForestByHand) {
  // 0 and 1 below 2, 3 below 4, 2 and 4 below 5; 6 alone.
  const std::vector<Index> parent{2, 2, 5, 4, 5, -1, -1};
  const std::vector<Index> height = tree_heights(parent);
  EXPECT_THAT(height, testing::ElementsAre(0, 0, 1, 0, 1, 2, 0));
  EXPECT_THAT(level_widths(height), testing::ElementsAre(4, 2, 1));
  EXPECT_TRUE(level_widths(tree_heights({})).empty());
}

}  // namespace
}  // namespace lufact
