// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/base/sha256.hpp"
#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "core/verify/column_counts.hpp"
#include "core/verify/column_handlers.hpp"
#include "core/verify/test/test_support.hpp"

namespace lufact {
namespace {

struct Handlers {
  std::vector<std::unique_ptr<ProductHandler>> all = column_product_handlers();
  const ProductHandler& pattern() const { return *all.at(0); }
  const ProductHandler& schedule() const { return *all.at(1); }
};

FactorsRecord describe(const PermutedMatrix& b, DependencyRule rule) {
  const Handlers handlers;
  const ColumnPattern pattern = reference::fill2(b.pattern);
  const ColumnSchedule schedule = reference::levelize(pattern, rule);
  FactorsRecord record;
  handlers.pattern().describe(b, nullptr, pattern, record);
  handlers.schedule().describe(b, &pattern, schedule, record);
  return record;
}

TEST(ColumnHandlers, SayWhichProductsTheyHandle) {
  const Handlers handlers;
  EXPECT_TRUE(handlers.pattern().type() == product_types::column_pattern);
  EXPECT_TRUE(handlers.schedule().type() == product_types::column_schedule);
}

TEST(ColumnHandlers, CountsOfASmallExampleAreThoseByHand) {
  // {{x,0,x},{x,.,0},{0,x,x}}: (1,1) is missing and added, (1,2) fills.
  const FactorsRecord record =
      describe(test::natural_order(test::matrix_from_triplets(
                   3, {{0, 0, 1}, {0, 2, 1}, {1, 0, 1}, {2, 1, 1}, {2, 2, 1}})),
               DependencyRule::exact);
  EXPECT_EQ(record.pattern, "exact");
  EXPECT_EQ(record.nnz_l, 2);
  EXPECT_EQ(record.nnz_u, 5);
  EXPECT_EQ(record.nnz_exact, 7);
  EXPECT_EQ(record.fill_in, 1);
  EXPECT_DOUBLE_EQ(record.fill_ratio.value(), 7.0 / 5);
  EXPECT_EQ(record.flops, 6);  // columns 0 and 1: a division and a multiply-add each
  EXPECT_DOUBLE_EQ(record.flops_per_nnz.value(), 6.0 / 7);
  EXPECT_EQ(record.levels, 3);
  EXPECT_EQ(record.max_level_width, 1);
  EXPECT_EQ(record.levels_by_rule.glu1, 2);
  EXPECT_EQ(record.levels_by_rule.exact, 3);
  EXPECT_EQ(record.levels_by_rule.relaxed, 3);
}

TEST(ColumnHandlers, HashesAreOfTheDocumentedBytes) {
  const FactorsRecord record = describe(
      test::natural_order(test::matrix_from_triplets(1, {{0, 0, 1}})), DependencyRule::relaxed);
  const char pattern_bytes[20] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(record.pattern_sha256, sha256_of_text(std::string(pattern_bytes, 20)));
  EXPECT_EQ(record.levels_sha256, sha256_of_text(std::string(4, '\0')));
}

TEST(ColumnHandlers, AnEmptyMatrixHasNoRatios) {
  const FactorsRecord record =
      describe(test::natural_order(test::matrix_from_triplets(0, {})), DependencyRule::exact);
  EXPECT_EQ(record.nnz_u, 0);
  EXPECT_EQ(record.levels, 0);
  EXPECT_EQ(record.max_level_width, 0);
  EXPECT_FALSE(record.fill_ratio.has_value());
  EXPECT_FALSE(record.flops_per_nnz.has_value());
}

TEST(ColumnHandlers, LevelCountsAgreeWithTheDefinitionsOnEveryNamedMatrix) {
  for (const test::NamedMatrix& named : test::named_matrices()) {
    const ColumnPattern pattern = reference::fill2(test::natural_order(named.matrix).pattern);
    const LevelsByRule levels = count_levels(pattern);
    const auto defined = [&pattern](DependencyRule rule) {
      return reference::levelize(pattern, rule).levels();
    };
    EXPECT_EQ(levels.glu1, defined(DependencyRule::glu1)) << named.name;
    EXPECT_EQ(levels.exact, defined(DependencyRule::exact)) << named.name;
    EXPECT_EQ(levels.relaxed, defined(DependencyRule::relaxed)) << named.name;
  }
}

TEST(ColumnHandlers, ValidateGoodProductsAndRejectMutants) {
  const Handlers handlers;
  const PermutedMatrix b = test::natural_order(test::random_matrix(50, 3, 41));
  const ColumnPattern pattern = reference::fill2(b.pattern);
  const ColumnSchedule schedule = reference::levelize(pattern, DependencyRule::exact);
  EXPECT_TRUE(handlers.pattern().validate(b, nullptr, pattern).passed);
  EXPECT_TRUE(handlers.schedule().validate(b, &pattern, schedule).passed);
  ColumnPattern wrong_pattern = pattern;
  ++wrong_pattern.diagonal[0];
  EXPECT_FALSE(handlers.pattern().validate(b, nullptr, wrong_pattern).passed);
  ColumnSchedule wrong_schedule = schedule;
  ++wrong_schedule.level_of[0];
  EXPECT_FALSE(handlers.schedule().validate(b, &pattern, wrong_schedule).passed);
  EXPECT_THROW(handlers.schedule().validate(b, nullptr, schedule), std::logic_error);
  EXPECT_THROW(handlers.pattern().validate(b, nullptr, schedule), std::logic_error);
}

}  // namespace
}  // namespace lufact
