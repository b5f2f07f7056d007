// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/choose/selected_ordering.hpp"
#include "core/order/graph/ordering_cost.hpp"
#include "core/order/metis_ordering.hpp"
#include "core/order/ordering_forecast.hpp"
#include "core/order/suitesparse_orderings.hpp"
#include "core/order/test/dissection_patterns.hpp"
#include "core/order/test/preprocess_fixtures.hpp"

namespace lufact {
namespace {

using ::testing::HasSubstr;

struct Selected {
  Ordering ordering;
  std::vector<Choice> choices;
};

Selected selected(const CsrPattern& pattern, int threads, int refactorizations,
                  bool host_may_factor = false) {
  testing::TestContext test;
  test.context.host_may_factor = host_may_factor;
  test.options.threads = threads;
  test.options.expect_refactorizations = refactorizations;
  Selected result;
  result.ordering = make_selected_ordering()->run(pattern, test.context);
  result.choices = test.notes.choices;
  return result;
}

TEST(SelectedOrdering, GivesABijectionOfEveryNamedPatternTwiceTheSame) {
  for (const auto& [name, pattern] : testing::named_patterns()) {
    const Ordering first = selected(pattern, 2, 0).ordering;
    const Ordering second = selected(pattern, 2, 0).ordering;
    ASSERT_EQ(first.perm.size(), pattern.n_rows) << name;
    EXPECT_TRUE(std::ranges::equal(first.perm.old_of_new(), second.perm.old_of_new())) << name;
  }
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

TEST(SelectedOrdering, SaysHowManyEntriesLHasAtMost) {
  for (const CsrPattern& grid :
       {testing::grid_matrix(30, 30).pattern, testing::grid_matrix(150, 150).pattern}) {
    for (const int threads : {1, 16}) {
      const Ordering found = selected(grid, threads, 0).ordering;
      const double entries = ordering_cost(grid, found.perm).nnz_l;
      ASSERT_TRUE(found.most_nnz_l.has_value());
      EXPECT_GE(*found.most_nnz_l, entries);
      EXPECT_LE(*found.most_nnz_l, 1.5 * entries);
    }
  }
}

TEST(SelectedOrdering, SaysNoFewerEntriesThanThereAreWhereHubsWereLeftOut) {
  const CsrPattern hubs = testing::grid_with_hubs(150);
  for (const int threads : {1, 16}) {
    const Ordering found = selected(hubs, threads, 0).ordering;
    const double entries = ordering_cost(hubs, found.perm).nnz_l;
    EXPECT_GE(found.most_nnz_l.value_or(entries), entries) << threads;
  }
}

TEST(SelectedOrdering, ComputesOnlyTheQuickerWhereFewFactorizationsFollow) {
  const CsrPattern grid = testing::grid_matrix(150, 150).pattern;
  const Selected one = selected(grid, 1, 0);
  EXPECT_EQ(one.choices.front().chosen, "amd");
  EXPECT_THAT(one.choices.front().reason, HasSubstr("nd-parallel not tried"));
  const Selected many = selected(grid, 16, 0);
  EXPECT_EQ(many.choices.front().chosen, "nd-parallel");
  ASSERT_EQ(many.choices.size(), 2u);
  EXPECT_EQ(many.choices[1].stage, "ordering/separator");
}

TEST(SelectedOrdering, TakesTheBetterOfBothWhereManyFactorizationsFollow) {
  for (const CsrPattern& grid :
       {testing::grid_matrix(60, 60).pattern, testing::grid_matrix(900, 3).pattern}) {
    const Selected found = selected(grid, 2, 10000);
    const double chosen = forecast_seconds(ordering_cost(grid, found.ordering.perm), {});
    const double amd = forecast_seconds(ordering_cost(grid, amd_ordering(grid)), {});
    EXPECT_LE(chosen, amd * 1.0001);
    EXPECT_THAT(found.choices.front().reason, HasSubstr("10001 factorization"));
    EXPECT_THAT(found.choices.front().reason, HasSubstr("critical path"));
    EXPECT_THAT(found.choices.front().candidates, ::testing::Contains(found.choices[0].chosen));
    EXPECT_THAT(found.choices.front().candidates, ::testing::Contains("nd-parallel"));
    EXPECT_EQ(std::ranges::count(found.choices.front().candidates, "metis"), metis_available());
  }
}

// The host's steps under another name.
class NamedSteps final : public PlacedSteps {
 public:
  std::vector<Choice> take_choices() override {
    return {{.stage = "ordering/partition", .chosen = "gpu", .candidates = {}, .reason = {}}};
  }
};

TEST(SelectedOrdering, TakesTheStepsOfADeviceWhereItGivesAny) {
  const CsrPattern grid = testing::grid_matrix(150, 150).pattern;
  const Ordering expected = selected(grid, 16, 0).ordering;
  for (const bool has_device : {false, true}) {
    testing::TestContext test;
    test.options.threads = 16;
    const auto stage = make_selected_ordering([&](const CsrPattern& pa, StageContext&) {
      EXPECT_EQ(&pa, &grid);
      return has_device ? std::make_unique<NamedSteps>() : nullptr;
    });
    const Ordering found = stage->run(grid, test.context);
    EXPECT_TRUE(std::ranges::equal(found.perm.old_of_new(), expected.perm.old_of_new()));
    ASSERT_EQ(test.notes.choices.size(), has_device ? 3u : 2u);
    EXPECT_EQ(test.notes.choices[0].chosen, has_device ? "nd-gpu" : "nd-parallel");
    EXPECT_EQ(test.notes.choices[1].stage,
              has_device ? "ordering/partition" : "ordering/separator");
  }
}

TEST(SelectedOrdering, IsTheSameForAnyNumberOfThreadsWhereAllAreTried) {
  const CsrPattern grid = testing::grid_matrix(80, 70).pattern;
  const Selected one = selected(grid, 1, 100000);
  const Selected three = selected(grid, 3, 100000);
  EXPECT_EQ(one.choices.front().chosen, three.choices.front().chosen);
  EXPECT_TRUE(std::ranges::equal(one.ordering.perm.old_of_new(), three.ordering.perm.old_of_new()));
}

TEST(OrderingForecast, SeesThatAPathIsLongerThanNeedBe) {
  const CsrPattern chain = testing::grid_matrix(4000, 1).pattern;
  const OrderingCost from_end_to_end = ordering_cost(chain, Permutation::identity(4000));
  EXPECT_GT(avoidable_share(from_end_to_end, {}), 0.9);
  const CsrPattern grid = testing::grid_matrix(60, 60).pattern;
  const OrderingCost band =
      ordering_cost(testing::grid_matrix(2, 60).pattern, Permutation::identity(120));
  EXPECT_LT(avoidable_share(ordering_cost(grid, amd_ordering(grid)), {}),
            avoidable_share(band, {}));
  EXPECT_GT(forecast_seconds(from_end_to_end, {}), 4000 * ColumnPathRates{}.short_column_s);
}

TEST(OrderingForecast, LooksForAnotherOrderWhereThePathIsLongAndOneFactorizationFollows) {
  // Minimum degree takes two coupled chains apart from their ends.
  const CsrPattern ladder = testing::grid_matrix(6000, 2).pattern;
  const Selected found = selected(ladder, 1, 0);
  EXPECT_EQ(found.choices.front().chosen, "nd-parallel");
  EXPECT_LT(ordering_cost(ladder, found.ordering.perm).path.columns, 1500);
}

TEST(SelectedOrdering, TakesAmdByItsOwnCountWhereTheHostFactorsInLessTimeThanOthersOrder) {
  const CsrPattern ladder = testing::grid_matrix(3000, 2).pattern;
  for (const int threads : {1, 16}) {
    const Selected found = selected(ladder, threads, 0, true);
    ASSERT_EQ(found.choices.size(), 1u);
    EXPECT_EQ(found.choices[0].chosen, "amd");
    EXPECT_EQ(found.ordering.graph, nullptr);
    EXPECT_THAT(found.choices[0].candidates, ::testing::Contains("nd-parallel"));
    EXPECT_THAT(found.choices[0].reason, HasSubstr("on the host at most"));
    EXPECT_TRUE(
        std::ranges::equal(found.ordering.perm.old_of_new(), amd_ordering(ladder).old_of_new()));
  }
  EXPECT_NE(selected(ladder, 1, 1000, true).choices.front().chosen, "amd");
}

TEST(SelectedOrdering, PlansForTheDeviceWhereItIsTheQuicker) {
  const CsrPattern grid = testing::grid_matrix(90, 90).pattern;
  EXPECT_EQ(selected(grid, 2, 10000, true).choices.front().chosen,
            selected(grid, 2, 10000, false).choices.front().chosen);
}

TEST(OrderingForecast, MinimumDegreeCountsNoLessThanItsOrderCosts) {
  for (const CsrPattern& pattern :
       {testing::grid_matrix(50, 40).pattern, testing::grid_matrix(3000, 2).pattern}) {
    const AmdOrder order = amd_ordering_with_cost(pattern);
    const OrderingCost exact = ordering_cost(pattern, order.perm);
    EXPECT_EQ(order.most.columns, exact.columns);
    EXPECT_GE(order.most.largest_column, exact.largest_column);
    EXPECT_GE(order.most.nnz_l, exact.nnz_l);
    EXPECT_GE(order.most.flops, exact.flops);
    EXPECT_GE(order.most.path.seconds, exact.path.seconds);
    for (const int threads : {1, 16}) {
      EXPECT_GE(forecast_host_seconds(order.most, pattern.nnz(), threads, {}),
                forecast_host_seconds(exact, pattern.nnz(), threads, {}));
    }
  }
}

}  // namespace
}  // namespace lufact
