// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <fstream>

#include "core/base/error.hpp"
#include "gpu/batch/paper/inverse_tile.hpp"
#include "gpu/batch/paper/paper_steps.hpp"
#include "gpu/batch/paper/paper_tuning.hpp"
#include "gpu/batch/tuning.hpp"

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

ArrayProblem problem_of(const PaperStep& step, Precision precision, Index n) {
  ArrayProblem problem;
  problem.operation = step.facts.operations.front();
  problem.precision = precision;
  problem.rows = problem.columns = problem.ld = n;
  return problem;
}

TEST(PaperTuning, HasWhatABlockCanHave) {
  for (const PaperStep& step : paper_steps()) {
    for (const Precision precision : step.facts.precisions) {
      for (Index n = 1; n <= largest_order; ++n) {
        const auto tuned = tuned_blocks(step.facts.name, problem_of(step, precision, n));
        if (!tuned) continue;
        EXPECT_TRUE(step.facts.chooses_by_measurements) << step.facts.name;
        EXPECT_GE(tuned->matrices, 1);
        EXPECT_LE(tuned->matrices, most_matrices_per_block);
        EXPECT_FALSE(tuned->card.empty());
      }
    }
  }
}

TEST(PaperTuning, TakesTheQuickestOfAFile) {
  const PaperStep& step = paper_step("registers-lazy");
  const ArrayProblem problem = problem_of(step, Precision::float64, 8);
  const auto measured = [&](const std::string& kernel, int matrices, double seconds) {
    TunedCandidate candidate = candidate_of(problem, kernel, matrices);
    candidate.median_s = seconds;
    return candidate;
  };
  const std::string path = testing::TempDir() + "/paper-tuning.tsv";
  std::ofstream(path) << tuning_text(
      {.device = "a card",
       .commit = "c",
       .candidates = {measured("registers-lazy", 4, 2e-3), measured("registers-lazy", 6, 1e-3),
                      measured("registers-tuned", 8, 1e-4)}});
  const TunedBlocks tuned = tuned_blocks_in(path, "registers-lazy", problem);
  EXPECT_EQ(tuned.matrices, 6);
  EXPECT_EQ(tuned.card, "a card");
  EXPECT_THROW(tuned_blocks_in(path, "registers-lazy", problem_of(step, Precision::float64, 9)),
               UsageError);
  EXPECT_THROW(tuned_blocks_in(path + ".absent", "registers-lazy", problem), Error);
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
