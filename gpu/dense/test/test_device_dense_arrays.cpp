// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.hpp"
#include "core/reference/dense_lu.hpp"
#include "gpu/batch/test/batch_on_device.hpp"
#include "gpu/dense/device_dense_arrays.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {
namespace {

class DeviceDenseArraysTest : public DeviceTest {};

// What the twin makes of the device's operands, brought back by hand.
TEST_F(DeviceDenseArraysTest, SanitizeOperandsAreTheInputAndResultsAreJudged) {
  for (const auto& [m, n] : {std::pair{1, 1}, {33, 33}, {70, 20}, {20, 70}}) {
    const ArrayProblem problem{.rows = m, .columns = n, .ld = m + 3};
    const DenseMatrixSource source({.input = "random", .m = m, .n = n});
    DeviceDenseArrays arrays(*session, problem, source, 1);
    for (int twice = 0; twice < 2; ++twice) {
      arrays.restore();
      const ArrayOperands operands = arrays.operands();
      std::vector<double> a(at(Offset{problem.ld} * n));
      std::vector<std::int32_t> pivots(at(problem.order()));
      session->copy_to_host(a.data(), operands.a, a.size() * sizeof(double));
      const std::int32_t info = reference::dense_lu(m, n, a.data(), problem.ld, pivots.data());
      session->copy_to_device(operands.a, a.data(), a.size() * sizeof(double));
      session->copy_to_device(operands.pivots, pivots.data(), pivots.size() * sizeof(int));
      session->copy_to_device(operands.info, &info, sizeof info);
      const DenseCheck check = arrays.check({});
      EXPECT_LE(check.error, 1e-14);
      EXPECT_EQ(check.pivots.value().equal, problem.order());
      EXPECT_FALSE(check.wrong_info);
    }
  }
}

TEST_F(DeviceDenseArraysTest, MoreThanTheBudgetIsSaidBeforeItIsAllocated) {
  const Index m = 2'000'000'000;
  const ArrayProblem problem{.rows = m, .columns = 1000, .ld = m};
  const DenseMatrixSource source({.input = "random", .m = m, .n = 1000});
  EXPECT_THROW(DeviceDenseArrays(*session, problem, source, 1), Error);
}

}  // namespace
}  // namespace lufact::gpu
