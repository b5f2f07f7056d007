// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/verify/test/test_support.hpp"
#include "core/verify/validate_preprocessing.hpp"

namespace lufact {
namespace {

using testing::HasSubstr;

TEST(PermutationValidator, AcceptsBijectionsOnly) {
  EXPECT_TRUE(validate_permutation({}).passed);
  EXPECT_TRUE(validate_permutation(std::vector<Index>{2, 0, 1}).passed);
  EXPECT_EQ(validate_permutation(std::vector<Index>{2, 0, 2}).message,
            "label 2 stands at entries 0 and 2 of the permutation");
  EXPECT_EQ(validate_permutation(std::vector<Index>{0, 3, 1}).message,
            "entry 1 of the permutation is 3, outside 0..2");
  EXPECT_EQ(validate_permutation(std::vector<Index>{0, -1}).message,
            "entry 1 of the permutation is -1, outside 0..1");
}

// {{1, 8, 0}, {4, 2, 0}, {0, 3, 5}}: the largest product is 8 * 4 * 5, through rows 1, 0, 2.
CsrMatrix sample() {
  return test::matrix_from_triplets(
      3, {{0, 0, 1}, {0, 1, -8}, {1, 0, 4}, {1, 1, 2}, {2, 1, 3}, {2, 2, 5}});
}

Matching sample_matching() {
  Matching m;
  m.rows = Permutation::from_old_of_new({1, 0, 2});
  m.row_scale = {1.0 / 8, 1.0 / 4, 1.0 / 5};
  m.col_scale = {1, 1, 1};
  m.structural_rank = 3;
  return m;
}

TEST(MatchingValidator, AcceptsAnOptimalMatching) {
  const ValidatorVerdict verdict = validate_matching(sample(), sample_matching());
  EXPECT_TRUE(verdict.passed) << verdict.message;
}

TEST(MatchingValidator, RejectsSwappedMatches) {
  Matching m = sample_matching();
  m.rows = Permutation::from_old_of_new({0, 1, 2});
  EXPECT_EQ(validate_matching(sample(), m).message,
            "the matched entry of row 0, column 0 has scaled magnitude 0.125, not 1");
  m.rows = Permutation::from_old_of_new({1, 2, 0});  // (0, 2) is no entry
  EXPECT_THAT(validate_matching(sample(), m).message,
              HasSubstr("2 entries are matched but the structural rank is said to be 3; the first "
                        "column without a nonzero matched entry is 2"));
}

TEST(MatchingValidator, RejectsScalingsThatLeaveALargeEntry) {
  Matching m = sample_matching();
  m.row_scale[2] = 0.5;
  m.col_scale[2] = 0.4;
  EXPECT_EQ(validate_matching(sample(), m).message,
            "the entry of row 2, column 1 has scaled magnitude 1.5, beyond 1");
  m = sample_matching();
  m.col_scale[2] = 1 + 1e-6;
  EXPECT_THAT(validate_matching(sample(), m).message, HasSubstr("row 2, column 2"));
}

TEST(MatchingValidator, AllowsLargerEntriesOffTheMatchingWhereToldTo) {
  Matching m = sample_matching();
  m.row_scale[2] = 0.5;
  m.col_scale[2] = 0.4;
  EXPECT_TRUE(validate_matching(sample(), m, 1e-8, 1.5).passed);
  EXPECT_EQ(validate_matching(sample(), m, 1e-8, 1.25).message,
            "the entry of row 2, column 1 has scaled magnitude 1.5, beyond 1.25");
  m.col_scale[2] = 0.5;  // the matched entry becomes 1.25: no larger one is allowed for that
  EXPECT_THAT(validate_matching(sample(), m, 1e-8, 1.5).message, HasSubstr("not 1"));
}

TEST(MatchingValidator, RejectsScalingsThatAreNotPositiveAndFinite) {
  for (const double bad : {0.0, -1.0, 1.0 / 0.0}) {
    Matching m = sample_matching();
    m.col_scale[1] = bad;
    EXPECT_THAT(validate_matching(sample(), m).message, HasSubstr("the scaling of column 1"));
  }
}

TEST(MatchingValidator, CompletedMatchingsAreCheckedWhereTheyAreMatched) {
  // Column 1 is empty.
  const CsrMatrix a = test::matrix_from_triplets(2, {{0, 0, 2}, {1, 0, 1}});
  Matching m;
  m.rows = Permutation::identity(2);
  m.row_scale = {0.5, 1};
  m.col_scale = {1, 1};
  m.structural_rank = 1;
  EXPECT_TRUE(validate_matching(a, m).passed);
  m.structural_rank = 2;
  EXPECT_FALSE(validate_matching(a, m).passed);
}

TEST(MatchingValidator, ScalingsNearTheEndsOfTheRangeDoNotOverflow) {
  const CsrMatrix a = test::matrix_from_triplets(1, {{0, 0, 1e-300}});
  Matching m;
  m.rows = Permutation::identity(1);
  m.row_scale = {1e300};
  m.col_scale = {1};
  m.structural_rank = 1;
  EXPECT_TRUE(validate_matching(a, m).passed);
}

// Rows 1, 2, 0 of the sample, then the symmetric permutation that reverses the labels.
PermutedMatrix permuted_sample() {
  PermutedMatrix b;
  b.rows = Permutation::from_old_of_new({2, 0, 1});
  b.cols = Permutation::from_old_of_new({2, 1, 0});
  b.pattern.n_rows = b.pattern.n_cols = 3;
  b.pattern.row_ptr = {0, 2, 4, 6};
  b.pattern.col_idx = {0, 1, 1, 2, 1, 2};
  b.values = {5, 3, -8, 1, 2, 4};
  b.source = {5, 4, 1, 0, 3, 2};
  b.row_scale = b.col_scale = {1, 1, 1};
  b.scaled_norm = 9;
  b.forest = {1, 2, -1};
  return b;
}

TEST(PermutedMatrixValidator, AcceptsWhatIsRight) {
  const ValidatorVerdict verdict = validate_permuted_matrix(sample(), permuted_sample());
  EXPECT_TRUE(verdict.passed) << verdict.message;
  for (const test::NamedMatrix& named : test::named_matrices()) {
    const ValidatorVerdict natural =
        validate_permuted_matrix(named.matrix, test::natural_order(named.matrix));
    EXPECT_TRUE(natural.passed) << named.name << ": " << natural.message;
  }
}

TEST(PermutedMatrixValidator, RejectsEverySingleMutationNamingThePlace) {
  const auto message = [](void (*mutate)(PermutedMatrix&)) {
    PermutedMatrix b = permuted_sample();
    mutate(b);
    return validate_permuted_matrix(sample(), b).message;
  };
  EXPECT_EQ(message([](PermutedMatrix& b) { b.values[3] = 2; }),
            "the value of row 1, column 2 is 2, not 1");
  EXPECT_EQ(message([](PermutedMatrix& b) { b.source[0] = 4; }),
            "the source of row 0, column 0 is 4, not 5");
  EXPECT_EQ(message([](PermutedMatrix& b) {
              b.rows = Permutation::from_old_of_new({0, 2, 1});
            }),
            "the source of row 0, column 0 is 5, not -1");
  EXPECT_EQ(message([](PermutedMatrix& b) { b.scaled_norm = 8; }), "the scaled norm is 8, not 9");
  EXPECT_EQ(message([](PermutedMatrix& b) { b.missing_diagonals_added = 1; }),
            "0 diagonal entries were added, not 1");
  EXPECT_EQ(message([](PermutedMatrix& b) { b.row_scale[1] = 0; }), "the scaling of row 1 is 0");
  EXPECT_EQ(message([](PermutedMatrix& b) {
              b.pattern.row_ptr = {0, 1, 3, 5};
              b.pattern.col_idx.erase(b.pattern.col_idx.begin() + 1);
              b.values.erase(b.values.begin() + 1);
              b.source.erase(b.source.begin() + 1);
            }),
            "row 2, column 1 of A is missing");
  EXPECT_EQ(message([](PermutedMatrix& b) {
              b.pattern.row_ptr = {0, 3, 5, 7};
              b.pattern.col_idx.insert(b.pattern.col_idx.begin() + 2, 2);
              b.values.insert(b.values.begin() + 2, 0);
              b.source.insert(b.source.begin() + 2, -1);
            }),
            "row 0 has an added column 2");
  EXPECT_NE(message([](PermutedMatrix& b) { b.values.pop_back(); }), "");
  EXPECT_EQ(message([](PermutedMatrix& b) { b.forest[0] = 2; }),
            "the parent of label 0 is 2, not 1");
  EXPECT_EQ(message([](PermutedMatrix& b) { b.forest.pop_back(); }), "a forest of 2 labels for 3");
}

TEST(PermutedMatrixValidator, RejectsAForestWhoseLabelsAreNoPostorder) {
  const CsrMatrix a = test::matrix_from_triplets(
      4, {{0, 0, 1.0}, {1, 1, 1.0}, {2, 0, 1.0}, {2, 2, 1.0}, {3, 1, 1.0}, {3, 3, 1.0}});
  PermutedMatrix b = test::natural_order(a);
  b.forest = {2, 3, -1, -1};
  EXPECT_EQ(validate_permuted_matrix(a, b).message, "the subtree of label 2 has label 0 and a gap");
}

}  // namespace
}  // namespace lufact
