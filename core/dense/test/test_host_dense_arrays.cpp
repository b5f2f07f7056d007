// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/base/error.hpp"
#include "core/dense/host_dense_arrays.hpp"

namespace lufact {
namespace {

ArrayProblem problem_of(Index m, Index n, Index ld) {
  return {.rows = m, .columns = n, .ld = ld};
}

TEST(HostDenseArrays, RestoresTheInputAndNoticesStrayWrites) {
  const DenseMatrixSource source({.input = "random", .m = 6, .n = 4});
  const auto arrays = make_host_dense_arrays(problem_of(6, 4, 9), source, {.guard = 8});
  arrays->restore();
  const std::string fresh = arrays->values_sha256();
  auto* const a = static_cast<double*>(arrays->operands().a);
  a[3] = 5;
  EXPECT_NE(arrays->values_sha256(), fresh);
  EXPECT_TRUE(arrays->only_results_written());
  arrays->restore();
  EXPECT_EQ(arrays->values_sha256(), fresh);
  for (const Offset stray : {Offset{-1}, Offset{6}, Offset{9 * 3 + 8}, Offset{9 * 4}}) {
    arrays->restore();
    a[stray] = 0;
    EXPECT_FALSE(arrays->only_results_written()) << stray;
    a[stray] = -0x1.5a5a5ap+90;  // what stood there
  }
}

TEST(HostDenseArrays, WhatDoesNotFitIsRefused) {
  const DenseMatrixSource source({.input = "random", .m = 6, .n = 4});
  EXPECT_THROW(make_host_dense_arrays(problem_of(4, 6, 6), source, {}), std::invalid_argument);
  EXPECT_THROW(make_host_dense_arrays(problem_of(6, 4, 5), source, {}), std::invalid_argument);
  ArrayProblem solve = problem_of(6, 4, 6);
  solve.operation = ArrayOperation::solve;
  EXPECT_THROW(make_host_dense_arrays(solve, source, {}), std::invalid_argument);
}

TEST(HostDenseArrays, MoreThanTheMachineHasIsSaidBeforeItIsAllocated) {
  const Index most = 2'000'000'000;
  const DenseMatrixSource source({.input = "random", .m = most, .n = 65000});
  try {
    make_host_dense_arrays(problem_of(most, 65000, most), source, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_host);
    EXPECT_NE(std::string(error.what()).find("needs"), std::string::npos);
  }
}

}  // namespace
}  // namespace lufact
