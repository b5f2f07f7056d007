// SPDX-License-Identifier: BSD-3-Clause
// A selector of back ends in the pipeline: what it takes runs and is recorded, naming a stage
// narrows it, and its forecasts send small matrices to the CPU and large ones to the GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/choose/back_end_selector.hpp"
#include "core/choose/test/small_run.hpp"
#include "core/columns/test/stage_harness.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/verify/front_handlers.hpp"

namespace lufact {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The host's stages under other names.
class OtherSubtrees final : public LevelizeStage {
 public:
  OtherSubtrees() : info_(stage_->info()) { info_.name = "other-subtrees"; }
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& symbolic, StageContext& context) const override {
    return stage_->run(symbolic, context);
  }

 private:
  std::unique_ptr<LevelizeStage> stage_ = make_subtrees_levelize();
  StageInfo info_;
};

class OtherNumeric final : public NumericStage {
 public:
  OtherNumeric() : info_(stage_->info()) { info_.name = "other-multifrontal"; }
  const StageInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr& schedule, StageContext& context) const override {
    return stage_->run(matrix, symbolic, schedule, context);
  }
  std::uint64_t resident_bytes(Index, Offset, Offset, Index, Precision) const override { return 0; }

 private:
  std::unique_ptr<NumericStage> stage_ = make_cpu_multifrontal_numeric();
  StageInfo info_;
};

Catalogue two_back_ends() {
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering = ordering_stages();
  catalogue.symbolic.push_back(make_cpu_fronts_symbolic());
  catalogue.levelize.push_back(make_subtrees_levelize());
  catalogue.levelize.push_back(make_task_graph_levelize());
  catalogue.levelize.push_back(std::make_unique<OtherSubtrees>());
  catalogue.numeric.push_back(make_cpu_multifrontal_numeric());
  catalogue.numeric.push_back(std::make_unique<OtherNumeric>());
  catalogue.handlers = front_product_handlers();
  // Quick to start, and quick in the long run.
  catalogue.selectors.push_back(
      make_front_back_end_selector({{"other-subtrees", "other-multifrontal",
                                     [](const FrontTree&, const StageOptions&) {
                                       return FrontForecast{0.0, 0.003};
                                     }},
                                    {"subtrees", "cpu-multifrontal",
                                     [](const FrontTree&, const StageOptions&) {
                                       return FrontForecast{0.005, 0.001};
                                     },
                                     true}}));
  return catalogue;
}

StageSelection selected(const std::string& levelize = "select",
                        const std::string& numeric = "select", const std::string& solve = "") {
  StageSelection stages;
  stages.symbolic = "cpu-fronts";
  stages.levelize = levelize;
  stages.numeric = numeric;
  stages.solve = solve;
  return stages;
}

RunRecord run_with(int expect_refactorizations, Until until = Until::solve,
                   FactorPlace factors = FactorPlace::automatic) {
  RunSettings settings;
  settings.options.factors = factors;
  settings.until = until;
  settings.verify = VerifyLevel::full;
  settings.options.expect_refactorizations = expect_refactorizations;
  return test::run_small_system(two_back_ends(), selected(), settings);
}

TEST(BackEndSelector, IsAPlaceholderUntilItHasChosen) {
  const Catalogue catalogue = two_back_ends();
  const Chain chain = resolve_chain(catalogue, selected());
  ASSERT_NE(chain.tail.selector, nullptr);
  EXPECT_EQ(chain.tail.numeric->info().name, "other-multifrontal");
  const PipelineRecord record = chain.record(Until::solve, Precision::float64);
  EXPECT_EQ(record.levelize, "select");
  EXPECT_EQ(record.numeric, "select");
  EXPECT_EQ(record.solve, "select");
  EXPECT_FALSE(chain.record(Until::symbolic, Precision::float64).levelize);
}

TEST(BackEndSelector, TakesWhatIsForecastToBeTheQuickestAndSaysWhy) {
  const RunRecord once = run_with(0), often = run_with(9);
  EXPECT_EQ(once.pipeline->numeric, "other-multifrontal");
  EXPECT_EQ(once.pipeline->levelize, "other-subtrees");
  EXPECT_EQ(often.pipeline->numeric, "cpu-multifrontal");
  EXPECT_EQ(often.pipeline->levelize, "subtrees");
  EXPECT_EQ(often.pipeline->solve, "subtrees");
  for (const RunRecord& record : {once, often}) {
    EXPECT_TRUE(record.verification->passed) << record.verification->message;
    EXPECT_THAT(record.verification->method, HasSubstr("front-schedule+front-factors"));
    ASSERT_EQ(record.pipeline->choices.size(), 1u);
    const Choice& choice = record.pipeline->choices[0];
    EXPECT_EQ(choice.stage, "numeric");
    EXPECT_EQ(choice.chosen, *record.pipeline->numeric);
    EXPECT_THAT(choice.candidates, ElementsAre("other-multifrontal", "cpu-multifrontal"));
    EXPECT_THAT(choice.reason, HasSubstr("other-multifrontal 0 ms once and 3 ms each"));
  }
  EXPECT_EQ(once.factors->values_sha256, often.factors->values_sha256);
}

TEST(BackEndSelector, TakesTheOneThatReadsWhereFactorsGoIfThatIsAskedFor) {
  const RunRecord record = run_with(0, Until::solve, FactorPlace::host);
  EXPECT_EQ(record.pipeline->numeric, "cpu-multifrontal");
  EXPECT_THAT(record.pipeline->choices[0].reason, HasSubstr("--factors is not for it"));
}

TEST(BackEndSelector, ChoosesNothingWhereNothingComesAfterTheSymbolicStage) {
  const RunRecord record = run_with(0, Until::symbolic);
  EXPECT_TRUE(record.pipeline->choices.empty());
  EXPECT_FALSE(record.pipeline->levelize);
}

TEST(BackEndSelector, IsNarrowedByNamingAStage) {
  const Catalogue catalogue = two_back_ends();
  for (const StageSelection& stages :
       {selected("subtrees"), selected("select", "cpu-multifrontal")}) {
    const Chain chain = resolve_chain(catalogue, stages);
    EXPECT_EQ(chain.tail.selector, nullptr);
    EXPECT_TRUE(chain.tail.tails.empty());
    const PipelineRecord record = chain.record(Until::solve, Precision::float64);
    EXPECT_EQ(record.levelize, "subtrees");
    EXPECT_EQ(record.numeric, "cpu-multifrontal");
    EXPECT_EQ(record.solve, "subtrees");
  }
  EXPECT_NE(resolve_chain(catalogue, selected("select", "select", "subtrees")).tail.selector,
            nullptr);
}

TEST(BackEndSelector, SaysWhatWouldFit) {
  const Catalogue catalogue = two_back_ends();
  for (const StageSelection& stages :
       {selected("task-graph"), selected("select", "no-such-stage"),
        selected("select", "select", "by-hand"), selected("subtrees", "other-multifrontal")}) {
    try {
      resolve_chain(catalogue, stages);
      const bool plain = stages.levelize == "subtrees";  // nothing is left to be chosen
      EXPECT_TRUE(plain);
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("cpu-multifrontal with subtrees"));
    }
  }
}

FrontForecast forecast(const CsrMatrix& matrix, int threads, FrontForecaster forecaster) {
  test::Harness harness(threads);
  const ProductPtr tree =
      make_cpu_fronts_symbolic()->run(test::natural_product(matrix), harness.context);
  return forecaster(product_cast<FrontTree>(*tree), harness.options);
}

TEST(FrontForecast, SendsSmallMatricesToTheCpuAndLargeOnesToTheGpu) {
  const CsrMatrix small = test::random_matrix(200, 1, 3), large = test::random_matrix(1500, 6, 3);
  for (const int threads : {1, 16}) {
    EXPECT_LT(forecast(small, threads, forecast_on_cpu).each,
              forecast(small, threads, forecast_on_gpu).each);
    EXPECT_GT(forecast(large, threads, forecast_on_cpu).each,
              forecast(large, threads, forecast_on_gpu).each);
  }
  EXPECT_LT(forecast(large, 16, forecast_on_cpu).each, forecast(large, 1, forecast_on_cpu).each);
  EXPECT_GT(forecast(test::matrix_from_triplets(0, {}), 1, forecast_on_gpu).each, 0);
}

// Blocks of 16 rows each, without entries between them.
CsrMatrix separate_blocks(Index blocks) {
  constexpr Index order = 16;
  std::vector<test::Triplet> entries;
  for (Index b = 0; b < blocks; ++b) {
    for (Index i = 0; i < order; ++i) {
      for (Index j = 0; j < order; ++j) {
        entries.push_back({b * order + i, b * order + j, i == j ? 2.0 * order : 1.0});
      }
    }
  }
  return test::matrix_from_triplets(blocks * order, entries);
}

TEST(FrontForecast, SendsThousandsOfRowsToTheGpuAlthoughTheirFrontsAreSmall) {
  const CsrMatrix few = separate_blocks(10), many = separate_blocks(500);
  for (const int threads : {1, 4, 16}) {
    const FrontForecast few_on_cpu = forecast(few, threads, forecast_on_cpu);
    const FrontForecast few_on_gpu = forecast(few, threads, forecast_on_gpu);
    EXPECT_LT(few_on_cpu.once, few_on_gpu.once);
    EXPECT_LT(few_on_cpu.each, few_on_gpu.each);
    EXPECT_GT(forecast(many, threads, forecast_on_cpu).each,
              forecast(many, threads, forecast_on_gpu).each);
  }
}

}  // namespace
}  // namespace lufact
