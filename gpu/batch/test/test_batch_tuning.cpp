// SPDX-License-Identifier: BSD-3-Clause
// What stages choose from, measured on the device, and chosen by.
#include <gmock/gmock.h>

#include <fstream>

#include "core/base/error.hpp"
#include "gpu/batch/test/stage_runs.hpp"

namespace lufact::gpu {
namespace {

using testing_support::kind_of;

class BatchTuningTest : public testing_support::BatchStageTest {
 protected:
  std::vector<TunedCandidate> tune(const ArrayProblem& problem) {
    DeviceBatchArrays arrays(*session, kind_of(problem, BatchKind::random), problem,
                             {.shift = 0, .keep_copy = false});
    return tune_batch(*session, *stage, arrays, 3);
  }
};

TEST_P(BatchTuningTest, TheQuickestOfAFileIsChosen) {
  const ArrayProblem problem = problem_of(4, 1000);
  if (!facts().chooses_by_measurements) {
    EXPECT_THROW(tune(problem), UsageError);
    return;
  }
  const std::vector<TunedCandidate> candidates = tune(problem);
  ASSERT_FALSE(candidates.empty());
  EXPECT_TRUE(std::ranges::is_sorted(candidates, {}, &TunedCandidate::median_s));
  for (const TunedCandidate& candidate : candidates) {
    EXPECT_EQ(candidate.operation, problem.operation);
    EXPECT_EQ(candidate.n, 4);
    EXPECT_EQ(candidate.count, 1000);
    EXPECT_GE(candidate.matrices_per_block, 1);
    EXPECT_GT(candidate.median_s, 0);
  }
  ArrayOptions options;
  // Of this test alone: parts of the program run side by side.
  options.tuning_file = testing::TempDir() + "/" + GetParam().stage + "-" +
                        std::string(to_string(problem.operation)) + ".tsv";
  std::ofstream(options.tuning_file)
      << tuning_text({.device = "a card", .commit = "c", .candidates = candidates});
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
  ArrayContext context{options, choices, warnings, &*session};
  const auto prepared = stage->prepare(problem, context);
  EXPECT_EQ(prepared->launch().matrices_per_block, candidates.front().matrices_per_block);
  EXPECT_EQ(choices.at(0).reason, "measured on a card");
  EXPECT_EQ(warnings.at(0).code, "tuned_elsewhere");
}

INSTANTIATE_TEST_SUITE_P(All, BatchTuningTest,
                         testing::ValuesIn(testing_support::batch_stage_cases()),
                         testing_support::test_name);

}  // namespace
}  // namespace lufact::gpu
