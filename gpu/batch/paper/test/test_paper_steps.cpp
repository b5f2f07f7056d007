// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "gpu/batch/paper/inverse_tile.hpp"
#include "gpu/batch/paper/paper_steps.hpp"
#include "gpu/batch/paper/paper_tuning.hpp"

namespace lufact::gpu::paper {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PaperSteps, AreThoseOfThePaperInItsOrder) {
  std::vector<std::string> names;
  for (const PaperStep& step : paper_steps()) names.push_back(step.facts.name);
  EXPECT_THAT(
      names, ElementsAre("shared-2d", "shared-1d", "registers", "registers-tuned", "registers-lazy",
                         "inverse-kernels", "inverse-augmented", "inverse-fused"));
  for (const std::string& name : names) EXPECT_EQ(paper_step(name).facts.name, name);
}

TEST(PaperSteps, TakeOneOperationUpToOrder32) {
  for (const PaperStep& step : paper_steps()) {
    ArrayProblem problem;
    problem.operation = step.facts.operations.front();
    EXPECT_THAT(refusal(step.facts, problem), IsEmpty());
    problem.operation = ArrayOperation::solve;
    EXPECT_THAT(refusal(step.facts, problem), HasSubstr("operation solve"));
    problem.operation = step.facts.operations.front();
    problem.layout = ArrayLayout::interleaved;
    EXPECT_THAT(refusal(step.facts, problem), HasSubstr("contiguous, pointers"));
    problem.layout = ArrayLayout::pointers;
    problem.rows = problem.columns = 33;
    EXPECT_THAT(refusal(step.facts, problem), HasSubstr("1 to 32"));
  }
}

TEST(PaperSteps, OnlyThoseOfOneLaunchHaveAnotherSwap) {
  for (const PaperStep& step : paper_steps()) {
    ASSERT_THAT(step.kernels, testing::Not(IsEmpty()));
    if (step.kernel_of_other_swap.empty()) continue;
    EXPECT_EQ(step.kernels.size(), 1U) << step.facts.name;
  }
}

TEST(PaperTuning, HasWhatABlockCanHave) {
  for (const PaperStep& step : paper_steps()) {
    for (const Precision precision : step.facts.precisions) {
      for (Index n = 1; n <= largest_order; ++n) {
        const auto matrices = tuned_matrices_per_block(step.facts.name, precision, n);
        if (!matrices) continue;
        EXPECT_TRUE(step.tunable) << step.facts.name;
        EXPECT_GE(*matrices, 1);
        EXPECT_LE(*matrices, most_matrices_per_block);
        EXPECT_FALSE(tuned_on().empty());
      }
    }
  }
}

TEST(InverseTile, ColumnsAreAnOddNumberOfWordsAndHoldTheMatrix) {
  for (const int real_bytes : {4, 8}) {
    for (int n = 1; n <= largest_order; ++n) {
      const int ld = inverse_tile_ld(n, real_bytes);
      EXPECT_GE(ld, n);
      EXPECT_EQ(ld * real_bytes % 32, 16) << n;
    }
  }
  EXPECT_EQ(sizeof(InverseTile<double, 17>), inverse_tile_bytes(17, 8));
  EXPECT_EQ(sizeof(InverseTile<float, 7>), inverse_tile_bytes(7, 4));
}

}  // namespace
}  // namespace lufact::gpu::paper
