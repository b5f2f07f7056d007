// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/report/dense_figures.hpp"
#include "core/report/record_json.hpp"

namespace lufact {
namespace {

TEST(DenseFigures, FlopsOfSquareTallAndWideMatrices) {
  EXPECT_DOUBLE_EQ(dense_flops("lu", 300, 300, 0), 2.0 * 300 * 300 * 300 / 3);
  EXPECT_DOUBLE_EQ(dense_flops("solve", 300, 300, 2),
                   2.0 * 300 * 300 * 300 / 3 + 2 * 2.0 * 300 * 300);
  // m n^2 - n^3 / 3
  EXPECT_DOUBLE_EQ(dense_flops("lu", 1000, 10, 0), 1000.0 * 100 - 1000.0 / 3);
  EXPECT_DOUBLE_EQ(dense_flops("lu", 10, 1000, 0), dense_flops("lu", 1000, 10, 0));
}

RunRecord sample_run() {
  RunRecord run;
  run.workload = "dense";
  run.dense.emplace();
  run.dense->operation = "solve";
  run.dense->m = run.dense->n = 100;
  run.dense->rhs = 1;
  run.dense->generator = GeneratorFacts{"random", {{"m", 100}, {"n", 100}}, 3};
  run.dense->refinement = RefinementRecord{"gmres", 2, false, {1e-8, 1e-12, 1e-16}};
  PhaseTime& phase = run.samples.emplace_back().phases.emplace_back();
  phase.name = "solve";
  phase.wall_s = 0.25;
  return run;
}

TEST(DenseFigures, TheRateIsByTheMedianTimeOfTheWork) {
  RunRecord run = sample_run();
  set_dense_figures(run);
  EXPECT_DOUBLE_EQ(run.dense->flops_per_s.value(), run.dense->flops / 0.25);
  run.samples.clear();
  set_dense_figures(run);
  EXPECT_FALSE(run.dense->flops_per_s.has_value());
}

TEST(DenseFigures, TheSectionIsReadAsItWasWritten) {
  const RunRecord run = run_from_json(to_json(sample_run()));
  ASSERT_TRUE(run.dense.has_value());
  EXPECT_EQ(run.dense->generator->kind, "random");
  EXPECT_EQ(run.dense->refinement->history, (std::vector<double>{1e-8, 1e-12, 1e-16}));
  EXPECT_FALSE(run.matrix.has_value());
}

}  // namespace
}  // namespace lufact
