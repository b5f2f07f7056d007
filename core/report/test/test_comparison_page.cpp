// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/comparison_page.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ComparisonPage page_of(double fast, double cpu) {
  const auto a =
      to_json(test::file_of({test::scaled_run("1", "fast", 1), test::scaled_run("2", "cpu|x", 1)}));
  const auto b = to_json(
      test::file_of({test::scaled_run("1", "fast", fast), test::scaled_run("2", "cpu|x", cpu)}));
  ComparisonPage page;
  page.a = compared_file("before.json", a);
  page.b = compared_file("after.json", b);
  page.options.phases = {"total"};
  page.comparison = compare_files(a, b, page.options);
  return page;
}

TEST(ComparisonPage, AsTextHasATable) {
  const std::string text = comparison_text(page_of(2, 1));
  EXPECT_THAT(text, AllOf(HasSubstr("A  before.json: "), HasSubstr("changes below 5% or 1.00 ms"),
                          HasSubstr("   0.500  "), HasSubstr("slower"),
                          Not(HasSubstr("different machines"))));
}

TEST(ComparisonPage, AsTextHasGeometricMeansOverSeveralMatrices) {
  ComparisonPage page = page_of(2, 1);
  EXPECT_THAT(comparison_text(page), Not(HasSubstr("geometric mean")));
  ComparedPhase other = page.comparison.phases.front();
  other.matrix = "another";
  page.comparison.phases.push_back(other);
  EXPECT_THAT(comparison_text(page), AllOf(HasSubstr("Over the matrices above"),
                                           HasSubstr("geometric mean 0.500 over n = 2")));
}

TEST(ComparisonPage, AsMarkdownPutsChangesFirstAndFoldsTheRest) {
  const std::string text = comparison_markdown(page_of(2, 1));
  EXPECT_THAT(text, HasSubstr("**lufact compare:** 1 slower, 0 faster, 1 same, 0 unclear"));
  EXPECT_THAT(text, HasSubstr("| **slower** |"));
  EXPECT_THAT(text, HasSubstr("| cpu\\|x | total |"));
  EXPECT_LT(text.find("**slower** |"), text.find("<details><summary>Same or unclear"));
  EXPECT_EQ(text.find("**slower** |", text.find("<details>")), std::string::npos);
}

TEST(ComparisonPage, AsMarkdownHasFaults) {
  ComparisonPage page = page_of(1, 1);
  page.comparison.faults = {"nothing was compared"};
  page.b.host = "another CPU";
  EXPECT_THAT(comparison_markdown(page),
              AllOf(HasSubstr("**nothing was compared**"), HasSubstr("different machines")));
}

}  // namespace
}  // namespace lufact
