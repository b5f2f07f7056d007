// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/reference/supernodes.hpp"
#include "core/reference/symbolic.hpp"
#include "core/verify/test/test_support.hpp"
#include "core/verify/validate_supernodes.hpp"

namespace lufact {
namespace {

using ::testing::HasSubstr;

ColumnPattern with_supernodes(const CsrMatrix& a, Index most_rows) {
  ColumnPattern pattern = reference::row_merge(test::natural_order(a).pattern);
  pattern.supernodes = reference::t3_supernodes(pattern, most_rows).supernodes;
  return pattern;
}

CsrMatrix dense(Index n) {
  std::vector<test::Triplet> entries;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) entries.push_back({i, j, i == j ? 2.0 * n : 1.0});
  }
  return test::matrix_from_triplets(n, entries);
}

TEST(ValidateSupernodes, AcceptsTheReferenceOfEveryNamedMatrix) {
  for (const test::NamedMatrix& named : test::named_matrices()) {
    for (const Index most_rows : {1, 2, 7, 128}) {
      const ValidatorVerdict verdict =
          validate_supernodes(with_supernodes(named.matrix, most_rows), most_rows);
      EXPECT_TRUE(verdict.passed) << named.name << ", " << most_rows << ": " << verdict.message;
    }
  }
}

TEST(ValidateSupernodes, ADenseMatrixIsCutAtMultiples) {
  const ColumnPattern pattern = with_supernodes(dense(20), 8);
  EXPECT_EQ(pattern.supernodes, (std::vector<Index>{0, 8, 16, 20}));
  EXPECT_TRUE(validate_supernodes(pattern, 8).passed);
  EXPECT_THAT(validate_supernodes(pattern, 16).message, HasSubstr("belongs to that of row 0"));
  EXPECT_THAT(validate_supernodes(pattern, 4).message, HasSubstr("a multiple of 4"));
}

// Every start that is moved, left out or put in is found.
TEST(ValidateSupernodes, RejectsEveryMutation) {
  for (const test::NamedMatrix& named : test::named_matrices()) {
    const ColumnPattern right = with_supernodes(named.matrix, 16);
    const std::vector<Index>& starts = right.supernodes;
    const auto rejects = [&](std::vector<Index> mutated) {
      ColumnPattern pattern = right;
      pattern.supernodes = std::move(mutated);
      return !validate_supernodes(pattern, 16).passed;
    };
    for (std::size_t s = 0; s < starts.size(); ++s) {
      std::vector<Index> less = starts, later = starts;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(s));
      ++later[s];
      EXPECT_TRUE(rejects(less)) << named.name << " without the start " << starts[s];
      EXPECT_TRUE(rejects(later)) << named.name << " with the start " << starts[s] << " moved";
    }
    for (Index row = 1; row < right.rows.n_rows; ++row) {
      if (std::ranges::binary_search(starts, row)) continue;
      std::vector<Index> more = starts;
      more.insert(std::ranges::lower_bound(more, row), row);
      EXPECT_TRUE(rejects(more)) << named.name << " with a start at row " << row;
    }
  }
}

}  // namespace
}  // namespace lufact
