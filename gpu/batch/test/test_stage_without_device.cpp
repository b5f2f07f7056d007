// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "gpu/batch/copy_array.hpp"

namespace lufact::gpu {
namespace {

TEST(BatchStage, ThatRunsOnADeviceSaysSoWhereThereIsNone) {
  const ArrayOptions options;
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
  ArrayContext context{options, choices, warnings, nullptr};
  ArrayProblem problem;
  problem.rows = problem.columns = problem.ld = 3;
  try {
    make_copy_array()->prepare(problem, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_EQ(error.code(), "no_device");
  }
}

}  // namespace
}  // namespace lufact::gpu
