// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/structure/entry_facts.hpp"
#include "core/verify/test/test_support.hpp"

namespace lufact {
namespace {

using namespace test;

TEST(EntryFacts, OfAMatrixByHand) {
  // 3 . . 1
  // 2 1 . .
  // . . . .
  // . 4 . 4
  const CsrMatrix a =
      matrix_from_triplets(4, {{0, 0, 3}, {0, 3, 1}, {1, 0, -2}, {1, 1, 1}, {3, 1, 4}, {3, 3, -4}});
  const Degrees degrees = degrees_of(a.pattern.view());
  EXPECT_THAT(degrees.of_rows, testing::ElementsAre(2, 2, 0, 2));
  EXPECT_THAT(degrees.of_columns, testing::ElementsAre(2, 2, 0, 2));
  const EntryFacts facts = entry_facts(a, degrees);
  EXPECT_EQ(facts.lower_bandwidth, 2);
  EXPECT_EQ(facts.upper_bandwidth, 3);
  // Rows: 0 + 1 + 0 + 2 before the diagonal; columns: 0 + 0 + 0 + 3 above it; 4 on it.
  EXPECT_EQ(facts.profile, 10);
  EXPECT_EQ(facts.row_degrees.least, 0);
  EXPECT_EQ(facts.row_degrees.most, 2);
  EXPECT_DOUBLE_EQ(facts.row_degrees.mean, 1.5);
  // Row 0 alone: 3 > 1; row 1 has 1 against 2, row 3 4 against 4, row 2 nothing.
  EXPECT_EQ(facts.dominance.rows, 1);
  EXPECT_DOUBLE_EQ(facts.dominance.least_ratio.value(), 0.5);
}

TEST(EntryFacts, OfADiagonalAndOfNothing) {
  const CsrMatrix diagonal = matrix_from_triplets(3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1}});
  const EntryFacts facts = entry_facts(diagonal, degrees_of(diagonal.pattern.view()));
  EXPECT_EQ(facts.lower_bandwidth + facts.upper_bandwidth, 0);
  EXPECT_EQ(facts.profile, 3);
  EXPECT_EQ(facts.dominance.rows, 3);
  EXPECT_FALSE(facts.dominance.least_ratio.has_value());
  const CsrMatrix nothing;
  EXPECT_EQ(entry_facts(nothing, degrees_of(nothing.pattern.view())).profile, 0);
}

}  // namespace
}  // namespace lufact
