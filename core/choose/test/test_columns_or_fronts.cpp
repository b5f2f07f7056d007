// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/base/error.hpp"
#include "core/choose/columns_or_fronts.hpp"
#include "core/choose/selected_ordering.hpp"
#include "core/choose/test/small_run.hpp"
#include "core/columns/cpu_stages.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/verify/column_handlers.hpp"
#include "core/verify/front_handlers.hpp"

namespace lufact {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Selector> columns_or_fronts() {
  return make_columns_or_fronts_selector(
      {.symbolic = "cpu-gp-pruned", .levelize = "cpu", .numeric = "cpu", .postorder = false});
}

Catalogue fronts_and_columns() {
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering = ordering_stages();
  catalogue.ordering.push_back(make_selected_ordering());
  catalogue.symbolic.push_back(make_cpu_fronts_symbolic());
  catalogue.symbolic.push_back(make_gp_pruned_symbolic());
  catalogue.levelize.push_back(make_subtrees_levelize());
  catalogue.levelize.push_back(make_cpu_levelize());
  catalogue.numeric.push_back(make_cpu_multifrontal_numeric());
  catalogue.numeric.push_back(make_cpu_numeric());
  catalogue.handlers = front_product_handlers();
  for (auto& handler : column_product_handlers()) {
    catalogue.handlers.push_back(std::move(handler));
  }
  catalogue.selectors.push_back(columns_or_fronts());
  return catalogue;
}

StageSelection fronts(const char* ordering) {
  StageSelection stages;
  stages.ordering = ordering;
  stages.symbolic = "cpu-fronts";
  stages.levelize = "subtrees";
  stages.numeric = "cpu-multifrontal";
  stages.auto_postorder = true;
  stages.family = "columns-or-fronts";
  return stages;
}

RunRecord run_fronts(const char* ordering, Index rows) {
  RunSettings settings;
  settings.verify = VerifyLevel::full;
  return test::run_small_system(fronts_and_columns(), fronts(ordering), settings, {}, rows);
}

// What is chosen for a matrix whose factors have so many entries at most, and why.
Choice weighed(double entries, int expect_refactorizations, Index rhs = 1) {
  StageOptions options;
  options.expect_refactorizations = expect_refactorizations;
  const auto selector = columns_or_fronts();
  const auto candidates = selector->candidates();
  const std::array open{OpenCandidate{"fronts", &candidates[0]},
                        OpenCandidate{"columns", &candidates[1]}};
  StageNotes notes;
  selector->choose(open, {.options = options, .rhs = rhs, .most_entries = entries}, notes);
  return notes.choices.at(0);
}

TEST(ColumnsOrFronts, GoOnAsColumnsAndTheRecordSaysSo) {
  const RunRecord record = run_fronts("select", 120);
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
  EXPECT_EQ(record.pipeline->ordering, "select");
  EXPECT_EQ(record.pipeline->postorder, false);
  EXPECT_EQ(record.pipeline->symbolic, "cpu-gp-pruned");
  EXPECT_EQ(record.pipeline->levelize, "cpu");
  EXPECT_EQ(record.pipeline->dependency, "exact");
  EXPECT_EQ(record.pipeline->numeric, "cpu");
  EXPECT_EQ(record.pipeline->solve, make_cpu_numeric()->info().solve_methods.front());
  EXPECT_EQ(record.factors->pattern, "exact");
  EXPECT_EQ(record.refactor_samples.size(), 1u);
  ASSERT_EQ(record.pipeline->choices.size(), 2u);  // of the last repetition, with the ordering's
  const Choice& choice = record.pipeline->choices.back();
  EXPECT_EQ(choice.stage, "family");
  EXPECT_EQ(choice.chosen, "cpu");
  EXPECT_THAT(choice.candidates, ElementsAre("cpu-multifrontal", "cpu"));
}

TEST(ColumnsOrFronts, GoOnAsFrontsWhereTheyAreMany) {
  const RunRecord record = run_fronts("select", 500);
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
  EXPECT_EQ(record.pipeline->postorder, true);
  EXPECT_EQ(record.pipeline->symbolic, "cpu-fronts");
  EXPECT_EQ(record.pipeline->numeric, "cpu-multifrontal");
  EXPECT_FALSE(record.pipeline->dependency.has_value());
  EXPECT_EQ(record.pipeline->choices.back().stage, "family");
  EXPECT_EQ(record.pipeline->choices.back().chosen, "cpu-multifrontal");
}

TEST(ColumnsOrFronts, AreNotAskedForWhereTheOrderingCountsNone) {
  const RunRecord record = run_fronts("amd", 120);
  EXPECT_EQ(record.pipeline->numeric, "cpu-multifrontal");
  EXPECT_TRUE(record.pipeline->choices.empty());
}

TEST(ColumnsOrFronts, AreFewerForMoreWorkOnThem) {
  EXPECT_EQ(weighed(30'000, 0).chosen, "columns");
  EXPECT_EQ(weighed(50'000, 0).chosen, "fronts");
  EXPECT_EQ(weighed(30'000, 0, 64).chosen, "fronts");
  EXPECT_EQ(weighed(30'000, 1000).chosen, "fronts");
  EXPECT_EQ(weighed(3'000, 1000).chosen, "columns");
}

TEST(ColumnsOrFronts, AreGivenWithBothForecasts) {
  const Choice choice = weighed(20'000, 3, 2);
  EXPECT_THAT(choice.reason, HasSubstr("4 factorization(s)"));
  EXPECT_THAT(choice.reason, HasSubstr("2 right-hand side(s)"));
  EXPECT_THAT(choice.reason, HasSubstr("20000 entries"));
  EXPECT_THAT(choice.reason, HasSubstr("fronts 2.5 ms"));
  EXPECT_THAT(choice.reason, HasSubstr("columns 4 ms"));
}

TEST(ColumnsOrFronts, AreAnEntryOfTheCatalogue) {
  const Catalogue catalogue = fronts_and_columns();
  StageSelection stages = fronts("select");
  const Chain chain = resolve_chain(catalogue, stages);
  ASSERT_EQ(chain.tail.tails.size(), 2u);
  EXPECT_EQ(chain.tail.tails[0].chosen_as.name, "cpu-multifrontal");
  EXPECT_EQ(chain.tail.tails[1].chosen_as.name, "cpu");
  EXPECT_EQ(chain.tail.tails[1].levelize->info().name, "cpu");
  EXPECT_EQ(chain.record(Until::solve, Precision::float64).numeric, "cpu-multifrontal");
  stages.family = "many-entries";
  EXPECT_THROW(resolve_chain(catalogue, stages), UsageError);
}

}  // namespace
}  // namespace lufact
