// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/numeric/auto_numeric.hpp"
#include "gpu/numeric/parallel_columns.hpp"
#include "gpu/numeric/test/numeric_bench.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;
using AutoNumeric = DeviceTest;

struct Chosen {
  StageNotes notes;
  FactorFigures figures;
};

// In a session of its own that leaves `free_bytes` for work columns.
Chosen run_with(DeviceSession& session, const HostProblem& problem, std::uint64_t free_bytes,
                const Accuracy& accuracy) {
  std::uint64_t budget = free_bytes;
  {
    const Bench inputs(session, problem, make_auto_numeric());
    const auto again = upload(session, problem.matrix);
    budget += session.ledger().resident() +
              column_factor_bytes(inputs.pattern().n, inputs.pattern().nnz, accuracy.precision);
  }
  DeviceSession limited(SessionOptions{0, budget});
  Bench subject(limited, problem, make_auto_numeric());
  const auto again = upload(limited, problem.matrix);
  const auto factors = check_factors(subject, problem, accuracy);
  factors->refactor(again, subject.context);
  return {subject.notes, factors->figures()};
}

TEST_F(AutoNumeric, SanitizeTheSwitchIsWhereTheRuleSays) {
  const auto problem = bordered_problem(400, 4);
  const Offset max_blocks = max_parallel_blocks(session().max_resident_warps());
  for (const Accuracy& accuracy : {in_double, in_float}) {
    const std::uint64_t value = accuracy.precision == Precision::float64 ? 8 : 4;
    const std::uint64_t enough = 404 * value * static_cast<std::uint64_t>(max_blocks);
    const Chosen sorted = run_with(session(), problem, enough - 1, accuracy);
    ASSERT_EQ(sorted.notes.choices.size(), 1u);
    EXPECT_EQ(sorted.notes.choices[0].stage, "numeric");
    EXPECT_EQ(sorted.notes.choices[0].chosen, "gpu-binary-search");
    EXPECT_THAT(sorted.notes.choices[0].candidates,
                testing::ElementsAre("gpu-dense", "gpu-binary-search"));
    EXPECT_EQ(sorted.figures.format, "sparse");
    EXPECT_EQ(sorted.figures.parallel_columns, max_blocks - 1);
    EXPECT_EQ(sorted.figures.max_parallel_blocks, max_blocks);

    const Chosen dense = run_with(session(), problem, enough, accuracy);
    ASSERT_EQ(dense.notes.choices.size(), 1u);
    EXPECT_EQ(dense.notes.choices[0].chosen, "gpu-dense");
    EXPECT_EQ(dense.figures.format, "dense");
    EXPECT_GE(dense.figures.parallel_columns.value(), 1);
    EXPECT_LE(dense.figures.parallel_columns.value(), max_blocks);
  }
}

}  // namespace
}  // namespace lufact::gpu
