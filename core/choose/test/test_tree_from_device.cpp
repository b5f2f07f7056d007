// SPDX-License-Identifier: BSD-3-Clause
// Fronts that were found on the device while the back end, or its choice, is on the host.
#include <gtest/gtest.h>

#include "core/choose/back_end_selector.hpp"
#include "core/choose/test/fronts_elsewhere.hpp"
#include "core/choose/test/small_run.hpp"
#include "core/columns/host_vectors.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/verify/front_handlers.hpp"

namespace lufact {
namespace {

Catalogue catalogue_with(test::Copies& copies) {
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering = ordering_stages();
  catalogue.symbolic.push_back(std::make_unique<test::FrontsElsewhere>("elsewhere"));
  catalogue.levelize.push_back(make_subtrees_levelize());
  catalogue.levelize.push_back(make_task_graph_levelize());
  catalogue.numeric.push_back(make_cpu_multifrontal_numeric());
  catalogue.handlers = front_product_handlers();
  const auto none = [](const FrontTree&, const StageOptions&) { return FrontForecast{}; };
  catalogue.selectors.push_back(make_front_back_end_selector(
      {{"subtrees", "cpu-multifrontal", none}, {"subtrees", "cpu-multifrontal", none}}));
  test::add_transfers(catalogue, copies);
  return catalogue;
}

// One repetition and one refactorization.
void expect_one_copy_each(const std::string& levelize, const std::string& numeric) {
  SCOPED_TRACE(levelize);
  test::Copies copies;
  const Catalogue catalogue = catalogue_with(copies);
  StageSelection selection;
  selection.symbolic = "elsewhere";
  selection.levelize = levelize;
  selection.numeric = numeric;
  const Chain chain = resolve_chain(catalogue, selection);
  const LinearSystem system = test::small_system();
  const SteadyClock clock;
  const RunEnvironment environment{
      .clock = clock, .make_vectors = [](Side) { return make_host_vector_backend(1); }};
  const RunSettings settings;
  PipelineRun run(catalogue, chain, system, settings, environment);
  run.run_repetition(0);
  EXPECT_EQ(copies.uploads, 1);
  EXPECT_EQ(copies.downloads, 1);
  run.run_refactorization(0);
  EXPECT_EQ(copies.uploads + copies.downloads, 2);
  RunRecord record;
  run.describe(record);
  run.add_refactorizations(record);
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
}

TEST(TreeFromDevice, ComesToTheHostOnceAndTheMatrixIsThereAllTheTime) {
  expect_one_copy_each("subtrees", "cpu-multifrontal");
  expect_one_copy_each("select", "select");
}

}  // namespace
}  // namespace lufact
