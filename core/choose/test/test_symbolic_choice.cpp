// SPDX-License-Identifier: BSD-3-Clause
// A selector of symbolic stages in the pipeline: what it takes runs and is recorded, a device stage
// is open only where the run has a device with room, and naming a stage leaves nothing to choose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/choose/back_end_selector.hpp"
#include "core/choose/symbolic_forecast.hpp"
#include "core/choose/symbolic_selector.hpp"
#include "core/choose/test/fronts_elsewhere.hpp"
#include "core/choose/test/small_run.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/generate/kinds.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/verify/front_handlers.hpp"

namespace lufact {
namespace {

using test::Copies;
using testing::ElementsAre;
using testing::HasSubstr;

double one_second(Index, Offset, int, const Rates&) {
  return 1;
}
double one_ms(Index, Offset, int, const Rates&) {
  return 1e-3;
}
std::uint64_t hundred_bytes(Index, Offset) {
  return 100;
}

Catalogue two_symbolic_stages(Copies& copies,
                              double (*elsewhere)(Index, Offset, int, const Rates&) = one_ms) {
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering = ordering_stages();
  catalogue.symbolic.push_back(make_cpu_fronts_symbolic());
  catalogue.symbolic.push_back(std::make_unique<test::FrontsElsewhere>("elsewhere"));
  catalogue.selectors.push_back(make_front_symbolic_selector(
      {{"cpu-fronts", one_second, nullptr}, {"elsewhere", elsewhere, hundred_bytes}}));
  catalogue.levelize.push_back(make_subtrees_levelize());
  catalogue.numeric.push_back(make_cpu_multifrontal_numeric());
  catalogue.handlers = front_product_handlers();
  test::add_transfers(catalogue, copies);
  return catalogue;
}

StageSelection selected(const std::string& symbolic) {
  StageSelection stages;
  stages.symbolic = symbolic;
  stages.levelize = "subtrees";
  stages.numeric = "cpu-multifrontal";
  return stages;
}

RunRecord run_with(const Catalogue& catalogue, std::optional<std::uint64_t> room,
                   Until until = Until::solve) {
  RunSettings settings;
  settings.until = until;
  settings.verify = VerifyLevel::full;
  return test::run_small_system(catalogue, selected("select"), settings, room);
}

void expect_choice(const RunRecord& record, const std::string& chosen, const std::string& reason) {
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
  EXPECT_EQ(record.pipeline->symbolic, chosen);
  ASSERT_EQ(record.pipeline->choices.size(), 1u);
  const Choice& choice = record.pipeline->choices[0];
  EXPECT_EQ(choice.stage, "symbolic");
  EXPECT_EQ(choice.chosen, chosen);
  EXPECT_THAT(choice.candidates, ElementsAre("cpu-fronts", "elsewhere"));
  EXPECT_THAT(choice.reason, HasSubstr("cpu-fronts 1e+03 ms, elsewhere"));
  EXPECT_THAT(choice.reason, HasSubstr(reason));
}

TEST(SymbolicSelector, IsAPlaceholderThatNeedsNoDevice) {
  Copies copies;
  const Catalogue catalogue = two_symbolic_stages(copies);
  const Chain chain = resolve_chain(catalogue, selected("select"));
  ASSERT_NE(chain.tail.selector, nullptr);
  EXPECT_EQ(chain.tail.symbolic->info().name, "cpu-fronts");
  EXPECT_EQ(chain.tail.tails.size(), 2u);
  EXPECT_EQ(chain.record(Until::symbolic, Precision::float64).symbolic, "select");
  EXPECT_FALSE(chain.record(Until::order, Precision::float64).symbolic);
  EXPECT_FALSE(chain.uses_device(Until::solve));
  EXPECT_TRUE(chain.supported({}, Until::solve).ok);
}

TEST(SymbolicSelector, TakesTheQuickestThatCanRunAndSaysWhy) {
  Copies copies;
  const Catalogue catalogue = two_symbolic_stages(copies);
  const RunRecord chosen = run_with(catalogue, 1000);
  expect_choice(chosen, "elsewhere", "elsewhere 1 ms");
  EXPECT_EQ(copies.uploads, 2);
  EXPECT_EQ(copies.downloads, 3);  // one of them to describe it
  const RunRecord without_device = run_with(catalogue, std::nullopt);
  expect_choice(without_device, "cpu-fronts", "elsewhere 1 ms but no other stage");
  const RunRecord without_room = run_with(catalogue, 399);
  expect_choice(without_room, "cpu-fronts", "elsewhere 1 ms but its 100 B");
  const Catalogue slow = two_symbolic_stages(copies, one_second);
  expect_choice(run_with(slow, 1000), "cpu-fronts", "elsewhere 1e+03 ms");
  EXPECT_EQ(copies.uploads + copies.downloads, 5);
  EXPECT_EQ(chosen.factors->values_sha256, without_device.factors->values_sha256);
}

TEST(SymbolicSelector, ChoosesForARunThatEndsThereAndNotForOneThatEndsBefore) {
  Copies copies;
  const Catalogue catalogue = two_symbolic_stages(copies);
  expect_choice(run_with(catalogue, 1000, Until::symbolic), "elsewhere", "elsewhere 1 ms");
  const RunRecord record = run_with(catalogue, 1000, Until::order);
  EXPECT_TRUE(record.pipeline->choices.empty());
  EXPECT_FALSE(record.pipeline->symbolic);
}

TEST(SymbolicSelector, HasNothingToChooseWhereAStageIsNamed) {
  Copies copies;
  const Catalogue catalogue = two_symbolic_stages(copies);
  for (const char* name : {"cpu-fronts", "elsewhere"}) {
    const Chain chain = resolve_chain(catalogue, selected(name));
    EXPECT_EQ(chain.tail.selector, nullptr);
    EXPECT_EQ(chain.tail.symbolic->info().name, name);
  }
  try {
    resolve_chain(catalogue, selected("nowhere"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cpu-fronts, elsewhere, select"));
  }
}

// The stage elsewhere relabels by the postorder that it finds.
TEST(SymbolicSelector, ComposesAPostorderForAStageThatDoesNotFindItOrWhereToldTo) {
  Copies copies;
  const Catalogue catalogue = two_symbolic_stages(copies);
  const auto postorder = [&](std::uint64_t room, std::optional<bool> told) {
    StageSelection stages = selected("select");
    stages.auto_postorder = true;
    stages.postorder = told;
    return test::run_small_system(catalogue, stages, {}, room).pipeline->postorder;
  };
  EXPECT_EQ(postorder(1000, {}), false);
  EXPECT_EQ(postorder(1000, true), true);
  EXPECT_EQ(postorder(0, {}), true);  // cpu-fronts, then
  EXPECT_EQ(postorder(0, false), false);
}

bool has_phase(const Sample& sample, const std::string& name) {
  return std::ranges::count(sample.phases, name, &PhaseTime::name) > 0;
}

// Whose host reads them later, for the numeric step and the validators, with the same results.
TEST(SymbolicSelector, LeavesTheEntriesOfALargeMatrixToADeviceThatReadsThem) {
  Copies copies;
  const Catalogue catalogue = two_symbolic_stages(copies);
  const LinearSystem system =
      test::system_of(generate::make_grid2d(std::array{Offset{110}, Offset{110}}, 1));
  constexpr std::uint64_t enough = std::uint64_t{1} << 30;
  RunSettings settings;
  settings.verify = VerifyLevel::full;
  const auto run = [&](Until until, std::uint64_t room) {
    settings.until = until;
    return test::run_system(catalogue, selected("select"), system, settings, room);
  };
  for (const Until until : {Until::symbolic, Until::levelize, Until::numeric, Until::solve}) {
    const RunRecord elsewhere = run(until, enough), here = run(until, 0);
    EXPECT_EQ(elsewhere.pipeline->symbolic, "elsewhere");
    EXPECT_EQ(here.pipeline->symbolic, "cpu-fronts");
    EXPECT_TRUE(elsewhere.verification->passed) << elsewhere.verification->message;
    EXPECT_EQ(elsewhere.factors->nnz_l, here.factors->nnz_l);
    EXPECT_EQ(elsewhere.factors->values_sha256, here.factors->values_sha256);
    for (const Sample& sample : elsewhere.samples) {
      EXPECT_TRUE(has_phase(sample, "order/permute"));
    }
  }
  EXPECT_TRUE(run(Until::order, enough).verification->passed);
}

TEST(SymbolicForecast, SendsSmallMatricesToTheCpuAndLargeOnesToTheGpu) {
  for (const int threads : {1, 16, 128}) {
    EXPECT_LT(forecast_cpu_fronts(2'000, 15'000, threads, {}),
              forecast_gpu_fronts(2'000, 15'000, threads, {}));
    EXPECT_GT(forecast_cpu_fronts(100'000, 500'000, threads, {}),
              forecast_gpu_fronts(100'000, 500'000, threads, {}));
  }
  EXPECT_GT(forecast_cpu_fronts(100'000, 500'000, 1, {}),
            forecast_cpu_fronts(100'000, 500'000, 16, {}));
  EXPECT_GT(forecast_gpu_fronts(0, 0, 1, {}), 0);
  EXPECT_GT(gpu_fronts_bytes(2'000'000'000, 0), 1'000'000'000'000u);
}

}  // namespace
}  // namespace lufact
