// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <new>
#include <set>

#include "core/matrix/test/failing_allocations.hpp"
#include "core/reference/symbolic.hpp"
#include "core/verify/test/test_support.hpp"
#include "core/verify/validate_pattern.hpp"

namespace lufact {
namespace {

using test::NamedMatrix;
using testing::HasSubstr;

// The pattern as sets, to be changed and put together again.
using RowSets = std::vector<std::set<Index>>;

RowSets sets_of(const CsrPattern& pattern) {
  RowSets rows;
  for (Index i = 0; i < pattern.n_rows; ++i) {
    rows.emplace_back(pattern.row(i).begin(), pattern.row(i).end());
  }
  return rows;
}

ColumnPattern pattern_of(const RowSets& rows) {
  ColumnPattern pattern;
  pattern.rows.n_rows = pattern.rows.n_cols = static_cast<Index>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto diagonal = rows[i].lower_bound(static_cast<Index>(i));
    pattern.diagonal.push_back(pattern.rows.row_ptr.back() +
                               std::distance(rows[i].begin(), diagonal));
    pattern.rows.col_idx.insert(pattern.rows.col_idx.end(), rows[i].begin(), rows[i].end());
    pattern.rows.row_ptr.push_back(static_cast<Offset>(pattern.rows.col_idx.size()));
  }
  return pattern;
}

TEST(PatternValidator, LetsAFailedAllocationOutOfItsRegion) {
  const PermutedMatrix b = test::natural_order(test::random_matrix(60, 3, 31));
  const ColumnPattern pattern = reference::fill2(b.pattern);
  omp_set_num_threads(2);
  const test::NoMemoryInRegions no_memory;
  EXPECT_THROW(validate_column_pattern(b.pattern, pattern), std::bad_alloc);
}

TEST(PatternValidator, AcceptsTheReferencePatternOfEveryNamedMatrix) {
  for (const NamedMatrix& named : test::named_matrices()) {
    const PermutedMatrix b = test::natural_order(named.matrix);
    for (const ColumnPattern& pattern :
         {reference::fill2(b.pattern), reference::row_merge(b.pattern)}) {
      const ValidatorVerdict verdict = validate_column_pattern(b.pattern, pattern);
      EXPECT_TRUE(verdict.passed) << named.name << ": " << verdict.message;
      EXPECT_EQ(verdict.message, "");
      EXPECT_EQ(verdict.method, "column-pattern");
    }
  }
}

// Every entry removed in turn, every absent entry added in turn: the pattern is unique, so each of
// these is wrong, whatever else it keeps.
TEST(PatternValidator, RejectsEveryPatternThatDiffersInOneEntry) {
  Index mutants = 0;
  for (const CsrMatrix& a :
       {test::glu3_example(), test::random_matrix(14, 2, 5), test::random_matrix(20, 2, 6, 4),
        test::random_matrix(25, 1, 8), test::random_matrix(12, 4, 9)}) {
    const PermutedMatrix b = test::natural_order(a);
    const RowSets right = sets_of(reference::fill2(b.pattern).rows);
    ASSERT_TRUE(validate_column_pattern(b.pattern, pattern_of(right)).passed);
    for (std::size_t i = 0; i < right.size(); ++i) {
      for (Index j = 0; j < b.pattern.n_rows; ++j) {
        RowSets wrong = right;
        if (wrong[i].erase(j) == 0) wrong[i].insert(j);
        const ValidatorVerdict verdict = validate_column_pattern(b.pattern, pattern_of(wrong));
        EXPECT_FALSE(verdict.passed) << "row " << i << ", column " << j;
        EXPECT_THAT(verdict.message, HasSubstr("row ")) << i << " " << j;
        EXPECT_THAT(verdict.message, HasSubstr("column ")) << i << " " << j;
        ++mutants;
      }
    }
  }
  EXPECT_GT(mutants, 1000);
}

TEST(PatternValidator, NamesAMissingFillEntryAndWhatFillsIt) {
  // (1, 2) is filled by L(1,0) and U(0,2).
  const PermutedMatrix b = test::natural_order(
      test::matrix_from_triplets(3, {{0, 0, 1}, {0, 2, 1}, {1, 0, 1}, {1, 1, 1}, {2, 2, 1}}));
  const ValidatorVerdict verdict =
      validate_column_pattern(b.pattern, pattern_of(sets_of(b.pattern)));
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.message, "row 1 lacks column 2, which L(1,0) and U(0,2) fill");
}

TEST(PatternValidator, NamesAMissingEntryOfTheMatrix) {
  const PermutedMatrix b = test::natural_order(test::glu3_example());
  RowSets rows = sets_of(reference::fill2(b.pattern).rows);
  rows[2].erase(1);
  EXPECT_EQ(validate_column_pattern(b.pattern, pattern_of(rows)).message,
            "row 2 lacks column 1, an entry of B");
}

TEST(PatternValidator, RejectsAClosedPatternThatIsNotMinimal) {
  // Full rows and columns are closed under elimination and contain anything.
  const PermutedMatrix b = test::natural_order(test::random_matrix(9, 1, 4));
  RowSets full(9);
  for (std::set<Index>& row : full) {
    for (Index j = 0; j < 9; ++j) row.insert(j);
  }
  EXPECT_THAT(validate_column_pattern(b.pattern, pattern_of(full)).message,
              HasSubstr("neither in B nor filled"));
  // A corner entry of a diagonal matrix closes nothing and is closed.
  RowSets corner(3);
  for (Index i = 0; i < 3; ++i) corner[static_cast<std::size_t>(i)].insert(i);
  const PermutedMatrix diagonal =
      test::natural_order(test::matrix_from_triplets(3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}}));
  corner[2].insert(0);
  EXPECT_EQ(validate_column_pattern(diagonal.pattern, pattern_of(corner)).message,
            "row 2 has column 0, which is neither in B nor filled");
}

TEST(PatternValidator, NoEntryJustifiesItselfThroughACycle) {
  // Superfluous entries in pairs, each of which would need the other.
  const PermutedMatrix b = test::natural_order(test::random_matrix(16, 1, 21));
  const RowSets right = sets_of(reference::fill2(b.pattern).rows);
  for (Index i = 0; i < 16; ++i) {
    for (Index j = 0; j < i; ++j) {
      RowSets wrong = right;
      const bool changed = wrong[static_cast<std::size_t>(i)].insert(j).second |
                           wrong[static_cast<std::size_t>(j)].insert(i).second;
      if (!changed) continue;
      const CsrPattern closed = reference::fill2(pattern_of(wrong).rows).rows;
      EXPECT_FALSE(validate_column_pattern(b.pattern, pattern_of(sets_of(closed))).passed);
    }
  }
}

TEST(PatternValidator, RejectsAWrongDiagonalPosition) {
  const PermutedMatrix b = test::natural_order(test::glu3_example());
  ColumnPattern pattern = reference::fill2(b.pattern);
  ++pattern.diagonal[1];
  EXPECT_EQ(validate_column_pattern(b.pattern, pattern).message,
            "the diagonal of row 1, column 1 is at position 3, not 4");
  pattern.diagonal.pop_back();
  EXPECT_FALSE(validate_column_pattern(b.pattern, pattern).passed);
}

TEST(PatternValidator, RejectsSwappedColumnsAndInvalidArrays) {
  const PermutedMatrix b = test::natural_order(test::glu3_example());
  const ColumnPattern right = reference::fill2(b.pattern);
  ColumnPattern swapped = right;
  std::swap(swapped.rows.col_idx[2], swapped.rows.col_idx[3]);
  EXPECT_EQ(validate_column_pattern(b.pattern, swapped).message,
            "row 1 is not ascending at column 0");
  ColumnPattern outside = right;
  outside.rows.col_idx.back() = 3;
  EXPECT_EQ(validate_column_pattern(b.pattern, outside).message, "row 2 has column 3");
  ColumnPattern shrunk = right;
  shrunk.rows.row_ptr.back() = 5;
  EXPECT_FALSE(validate_column_pattern(b.pattern, shrunk).passed);
  EXPECT_FALSE(validate_column_pattern(b.pattern, ColumnPattern{}).passed);
}

}  // namespace
}  // namespace lufact
