// SPDX-License-Identifier: BSD-3-Clause
// A family of factors with products of its own goes through pipeline, verification and record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/columns/cpu_stages.hpp"
#include "core/generate/generate.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/report/record_json.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/run/test/dense_family.hpp"
#include "core/verify/column_handlers.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

Catalogue both_families() {
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering = ordering_stages();
  catalogue.symbolic.push_back(make_gp_pruned_symbolic());
  catalogue.levelize.push_back(make_cpu_levelize());
  catalogue.numeric.push_back(make_cpu_numeric());
  catalogue.handlers = column_product_handlers();
  dense_family::add_to(catalogue);
  return catalogue;
}

LinearSystem small_system(Index rhs) {
  LinearSystem system;
  GeneratorFacts facts;
  facts.kind = "circuit";
  facts.sizes = {{"n", 60}};
  facts.seed = 3;
  system.input.matrix = generate_matrix(facts);
  system.input.facts.n = system.input.matrix.pattern.n_rows;
  system.input.facts.nnz = system.input.matrix.pattern.nnz();
  system.rhs = rhs;
  system.x_true = make_x_true(system.input.facts.n, rhs, 1);
  system.b = multiply(system.input.matrix, system.x_true, rhs);
  for (Index i = 0; i < system.input.facts.n; ++i) {
    double sum = 0;
    for (const double v : system.input.matrix.row_values(i)) sum += std::abs(v);
    system.matrix_norm = std::max(system.matrix_norm, sum);
  }
  return system;
}

RunEnvironment host_environment(const Clock& clock) {
  return {.clock = clock, .make_vectors = [](Side) { return make_host_vector_backend(2); }};
}

RunRecord run_mode(const Catalogue& catalogue, const StageSelection& stages, Until until,
                   VerifyLevel verify) {
  const Chain chain = resolve_chain(catalogue, stages);
  const LinearSystem system = small_system(3);
  const SteadyClock clock;
  const RunEnvironment environment = host_environment(clock);
  RunSettings settings;
  settings.until = until;
  settings.verify = verify;
  settings.options.dependency = chain.dependency;
  PipelineRun run(catalogue, chain, system, settings, environment);
  RunRecord record;
  record.samples.push_back(run.run_repetition(0));
  run.describe(record);
  if (until == Until::solve) record.refactor_samples.push_back(run.run_refactorization(0));
  run.add_refactorizations(record);
  return record;
}

TEST(SecondFamily, IsSolvedVerifiedAndRecorded) {
  const Catalogue catalogue = both_families();
  const RunRecord record =
      run_mode(catalogue, catalogue.mode("dense").stages, Until::solve, VerifyLevel::residual);
  ASSERT_TRUE(record.verification.has_value());
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
  EXPECT_EQ(record.factors->pattern, "bound");
  EXPECT_EQ(record.factors->tasks, 60);
  EXPECT_TRUE(record.factors->values_sha256.has_value());
  EXPECT_FALSE(record.factors->levels.has_value());
  EXPECT_FALSE(record.pipeline->dependency.has_value());
  EXPECT_EQ(record.refactor_samples.size(), 1u);
  const auto json = to_json(record);
  EXPECT_EQ(json.at("pipeline").at("numeric"), "dense-lu");
  EXPECT_TRUE(json.at("factors").at("levels").is_null());
}

TEST(SecondFamily, RefactorsOnTheHostWithoutPageLockedMemory) {
  const Catalogue catalogue = both_families();
  const Chain chain = resolve_chain(catalogue, catalogue.mode("dense").stages);
  const LinearSystem system = small_system(2);
  const SteadyClock clock;
  RunEnvironment environment = host_environment(clock);
  environment.page_locked_memory = [](std::size_t) -> std::shared_ptr<void> {
    ADD_FAILURE() << "asked for page-locked memory";
    return nullptr;
  };
  const RunSettings settings;
  PipelineRun run(catalogue, chain, system, settings, environment);
  run.run_repetition(0);
  const std::vector<double> solution = run.solution();
  RunRecord record;
  run.describe(record);
  run.run_refactorization(0);
  run.run_refactorization(1);
  run.add_refactorizations(record);
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
  EXPECT_TRUE(record.warnings.empty());
  EXPECT_EQ(run.solution(), solution);
}

TEST(SecondFamily, IsCheckedByItsOwnValidators) {
  const Catalogue catalogue = both_families();
  const RunRecord record =
      run_mode(catalogue, catalogue.mode("dense").stages, Until::levelize, VerifyLevel::residual);
  EXPECT_EQ(record.verification->method, "block-tasks");
  EXPECT_TRUE(record.verification->passed);
}

TEST(ColumnFamily, RunsThroughTheSameCode) {
  const Catalogue catalogue = both_families();
  StageSelection stages;
  stages.symbolic = "cpu-gp-pruned";
  stages.levelize = stages.numeric = "cpu";
  const RunRecord record = run_mode(catalogue, stages, Until::solve, VerifyLevel::full);
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
  EXPECT_EQ(record.factors->pattern, "exact");
  EXPECT_GT(record.factors->levels.value_or(0), 1);
  EXPECT_EQ(record.factors->levels, record.factors->levels_by_rule.exact);
}

TEST(Chain, RefusesStagesThatDoNotFitAndNamesWhatWould) {
  const Catalogue catalogue = both_families();
  StageSelection stages = catalogue.mode("dense").stages;
  stages.numeric = "cpu";
  try {
    resolve_chain(catalogue, stages);
    FAIL() << "a column numeric took a block plan";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("--symbolic"), testing::HasSubstr("block-plan"),
                               testing::HasSubstr("cpu-gp-pruned")));
  }
}

TEST(Chain, NamesTheAcceptedStages) {
  const Catalogue catalogue = both_families();
  StageSelection stages = catalogue.mode("dense").stages;
  stages.ordering = "alphabetical";
  try {
    resolve_chain(catalogue, stages);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("alphabetical"), testing::HasSubstr("amd")));
  }
  EXPECT_THROW(catalogue.mode("warp-speed"), UsageError);
}

TEST(Chain, PostordersAsThePresetMeansUnlessLabelsAreGivenOrTheUserDecides) {
  const Catalogue catalogue = both_families();
  const auto postordered = [&](const char* ordering, bool preset, std::optional<bool> wanted) {
    StageSelection stages = catalogue.mode("dense").stages;
    stages.ordering = ordering;
    stages.auto_postorder = preset;
    stages.postorder = wanted;
    return resolve_chain(catalogue, stages).record(Until::solve, Precision::float64).postorder;
  };
  EXPECT_EQ(postordered("amd", false, std::nullopt), false);
  EXPECT_EQ(postordered("amd", true, std::nullopt), true);
  EXPECT_EQ(postordered("natural", true, std::nullopt), false);
  EXPECT_EQ(postordered("file", true, std::nullopt), false);
  EXPECT_EQ(postordered("natural", false, true), true);
  EXPECT_EQ(postordered("amd", true, false), false);
}

}  // namespace
}  // namespace lufact
