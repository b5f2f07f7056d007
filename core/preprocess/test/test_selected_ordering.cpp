// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/preprocess/ordering_cost.hpp"
#include "core/preprocess/ordering_forecast.hpp"
#include "core/preprocess/selected_ordering.hpp"
#include "core/preprocess/suitesparse_orderings.hpp"
#include "core/preprocess/test/preprocess_fixtures.hpp"

namespace lufact {
namespace {

using ::testing::HasSubstr;

struct Selected {
  Ordering ordering;
  std::vector<Choice> choices;
};

Selected selected(const CsrPattern& pattern, int threads, int refactorizations) {
  testing::TestContext test;
  test.options.threads = threads;
  test.options.expect_refactorizations = refactorizations;
  Selected result;
  result.ordering = make_selected_ordering()->run(pattern, test.context);
  result.choices = test.notes.choices;
  return result;
}

TEST(SelectedOrdering, TakesAmdForSmallMatricesOfFewFactorizations) {
  const CsrPattern grid = testing::grid_matrix(30, 30).pattern;
  const Selected found = selected(grid, 16, 0);
  EXPECT_TRUE(
      std::ranges::equal(found.ordering.perm.old_of_new(), amd_ordering(grid).old_of_new()));
  ASSERT_EQ(found.choices.size(), 1u);
  EXPECT_EQ(found.choices[0].stage, "ordering");
  EXPECT_EQ(found.choices[0].chosen, "amd");
  EXPECT_THAT(found.choices[0].candidates, ::testing::ElementsAre("amd", "nd-parallel"));
  EXPECT_THAT(found.choices[0].reason, HasSubstr("900"));
}

TEST(SelectedOrdering, ComputesOnlyTheQuickerWhereFewFactorizationsFollow) {
  const CsrPattern grid = testing::grid_matrix(150, 150).pattern;
  const Selected one = selected(grid, 1, 0);
  EXPECT_EQ(one.choices.front().chosen, "amd");
  EXPECT_THAT(one.choices.front().reason, HasSubstr("the other would take"));
  const Selected many = selected(grid, 16, 0);
  EXPECT_EQ(many.choices.front().chosen, "nd-parallel");
  ASSERT_EQ(many.choices.size(), 2u);
  EXPECT_EQ(many.choices[1].stage, "ordering/separator");
}

TEST(SelectedOrdering, TakesTheBetterOfBothWhereManyFactorizationsFollow) {
  for (const CsrPattern& grid :
       {testing::grid_matrix(60, 60).pattern, testing::grid_matrix(900, 3).pattern}) {
    const Selected found = selected(grid, 2, 10000);
    const double chosen = forecast_seconds(ordering_cost(grid, found.ordering.perm));
    const double amd = forecast_seconds(ordering_cost(grid, amd_ordering(grid)));
    EXPECT_LE(chosen, amd * 1.0001);
    EXPECT_THAT(found.choices.front().reason, HasSubstr("10001 factorizations"));
    EXPECT_THAT(found.choices.front().reason, HasSubstr("critical path"));
  }
}

}  // namespace
}  // namespace lufact
