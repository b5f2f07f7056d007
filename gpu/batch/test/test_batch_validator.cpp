// SPDX-License-Identifier: BSD-3-Clause
// The validator on the device: it must agree with the one on the host, and see every mutation.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "core/base/error.hpp"
#include "gpu/batch/test/solved_batch.hpp"

namespace lufact::gpu {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// What the device finds of it.
template <class Real>
BatchCheck checked_on_device(DeviceSession& session, const Solved<Real>& batch,
                             const BatchCheckRequest& request = {}) {
  DeviceBatchArrays arrays(session, batch.group, batch.problem);
  arrays.restore();
  const ArrayOperands operands = arrays.operands();
  const bool solve = batch.problem.operation == ArrayOperation::solve;
  void* const target = solve ? operands.b : operands.result;
  session.copy_to_device(target, batch.values.data(), batch.values.size() * sizeof(Real));
  session.copy_to_device(operands.pivots, batch.pivots.data(),
                         batch.pivots.size() * sizeof(std::int32_t));
  session.copy_to_device(operands.info, batch.info.data(),
                         batch.info.size() * sizeof(std::int32_t));
  return arrays.check(request);
}

void expect_same(const BatchCheck& device, const BatchCheck& host) {
  if (device.worst_error != host.worst_error) {  // infinite ones are
    EXPECT_NEAR(device.worst_error, host.worst_error, 0.25 * host.worst_error + 2e-15);
  }
  EXPECT_EQ(device.checked, host.checked);
  EXPECT_EQ(device.wrong_info, host.wrong_info);
  EXPECT_EQ(device.wrong_not_nan, host.wrong_not_nan);
  EXPECT_EQ(device.pivots.checked, host.pivots.checked);
  EXPECT_EQ(device.pivots.equal, host.pivots.equal);
  EXPECT_EQ(device.pivots.tied, host.pivots.tied);
  EXPECT_EQ(device.pivots.different, host.pivots.different);
  EXPECT_EQ(device.info.zero_pivots, host.info.zero_pivots);
  EXPECT_EQ(device.info.nonfinite, host.info.nonfinite);
  EXPECT_EQ(device.info.first, host.info.first);
}

using BatchValidatorTest = DeviceTest;

TEST_F(BatchValidatorTest, SanitizeAgreesWithTheHostOnTheTwinsResults) {
  for (const BatchKind kind : batch_kinds()) {
    for (const auto operation :
         {ArrayOperation::lu, ArrayOperation::inverse, ArrayOperation::solve}) {
      for (const Index n : {1, 2, 3, 8, 17, 32}) {
        SCOPED_TRACE(testing::Message()
                     << to_string(kind) << " " << to_string(operation) << " of order " << n);
        for_both_precisions([&](Precision, auto real) {
          const Solved<decltype(real)> batch(operation, kind, n, 70);
          const BatchCheck found = checked_on_device(*session, batch);
          expect_same(found, batch.check_on_host());
          EXPECT_EQ(found.wrong_info + found.wrong_not_nan + found.pivots.different, 0);
        });
      }
    }
  }
}

TEST_F(BatchValidatorTest, OrdersBeyondAWarp) {
  for (const Index n : {33, 48, 63, 64}) {
    for (const auto operation :
         {ArrayOperation::lu, ArrayOperation::inverse, ArrayOperation::solve}) {
      SCOPED_TRACE(testing::Message() << to_string(operation) << " of order " << n);
      for_both_precisions([&](Precision precision, auto real) {
        const Solved<decltype(real)> batch(operation, BatchKind::random, n, 33);
        const BatchCheck found = checked_on_device(*session, batch);
        expect_same(found, batch.check_on_host());
        EXPECT_LE(found.worst_error, batch_threshold(operation, precision, n));
        EXPECT_EQ(found.pivots.different, 0);
      });
    }
  }
}

// A mutation of a right result, and what must be found of it.
struct Mutation {
  const char* what;
  ArrayOperation operation;
  std::function<void(Solved<double>&)> apply;
  std::function<bool(const BatchCheck&)> seen;
};

bool error_in_40(const BatchCheck& check) {
  return check.worst_error > 1e-12 && check.worst_matrix == 40;
}
bool one_different(const BatchCheck& check) {
  return check.pivots.different == 1;
}
bool one_wrong_info(const BatchCheck& check) {
  return check.wrong_info == 1;
}

std::vector<Mutation> mutations() {
  const auto lu = ArrayOperation::lu;
  const auto inverse = ArrayOperation::inverse;
  const auto solve = ArrayOperation::solve;
  return {
      {"an entry of U", lu, [](auto& b) { b.value(40, 2, 5) += 1e-9; }, error_in_40},
      {"an entry of L", lu, [](auto& b) { b.value(40, 5, 2) += 1e-9; }, error_in_40},
      {"a pivot", lu, [](auto& b) { b.pivots[40 * 9 + 3] = b.pivots[40 * 9 + 3] == 9 ? 4 : 9; },
       one_different},
      {"a pivot out of range", lu, [](auto& b) { b.pivots[40 * 9 + 3] = 10; }, one_different},
      {"a pivot of a row above", lu, [](auto& b) { b.pivots[40 * 9 + 3] = 3; }, one_different},
      {"info of a regular matrix", lu, [](auto& b) { b.info[40] = 3; }, one_wrong_info},
      {"negative info", lu, [](auto& b) { b.info[40] = -1; }, one_wrong_info},
      {"two matrices exchanged", lu,
       [](auto& b) {
         std::swap_ranges(&b.values[40 * 81], &b.values[41 * 81], &b.values[50 * 81]);
       },
       [](const BatchCheck& check) { return check.worst_error > 1e-3; }},
      {"NaN in LU", lu, [](auto& b) { b.value(40, 8, 8) = nan; },
       [](const BatchCheck& check) {
         return std::isinf(check.worst_error) && check.worst_matrix == 40;
       }},
      {"an entry of the inverse", inverse, [](auto& b) { b.value(40, 2, 5) += 1e-6; }, error_in_40},
      {"info of an inverse", inverse, [](auto& b) { b.info[40] = 2; }, one_wrong_info},
      {"a pivot of an inverse", inverse,
       [](auto& b) { b.pivots[40 * 9 + 3] = b.pivots[40 * 9 + 3] == 9 ? 4 : 9; }, one_different},
      {"an entry of a solution", solve, [](auto& b) { b.value(40, 2, 1) += 1e-6; }, error_in_40},
  };
}

TEST_F(BatchValidatorTest, MutationsAreSeenOnTheDeviceAlone) {
  for (const Mutation& mutation : mutations()) {
    SCOPED_TRACE(mutation.what);
    Solved<double> batch(mutation.operation, BatchKind::random, 9, 70);
    mutation.apply(batch);
    EXPECT_TRUE(mutation.seen(checked_on_device(*session, batch, {.host_sample = 0})));
    expect_same(checked_on_device(*session, batch), batch.check_on_host());
  }
}

TEST_F(BatchValidatorTest, ResultsOfSingularMatricesMustBeNaN) {
  Solved<double> batch(ArrayOperation::inverse, BatchKind::singular, 5, 70);
  ASSERT_GT(batch.info[0], 0);
  EXPECT_EQ(checked_on_device(*session, batch).wrong_not_nan, 0);
  EXPECT_EQ(checked_on_device(*session, batch).info.first, 0);
  batch.value(0, 1, 1) = 1;
  EXPECT_EQ(checked_on_device(*session, batch).wrong_not_nan, 1);
  EXPECT_EQ(checked_on_device(*session, batch, {.own_result = false}).wrong_not_nan, 0);
  batch.info[0] = 0;
  EXPECT_EQ(checked_on_device(*session, batch).wrong_info, 1);
}

TEST_F(BatchValidatorTest, WithoutPivotsTheResultIsThatOfNoInterchange) {
  Solved<double> batch(ArrayOperation::lu, BatchKind::dominant, 9, 70);
  const BatchCheck check = checked_on_device(*session, batch, {.has_pivots = false});
  EXPECT_EQ(check.pivots.checked, 0);
  EXPECT_LE(check.worst_error, batch_threshold(ArrayOperation::lu, Precision::float64, 9));
  Solved<double> pivoted(ArrayOperation::lu, BatchKind::random, 9, 70);
  EXPECT_GT(checked_on_device(*session, pivoted, {.has_pivots = false}).worst_error, 1e-6);
}

TEST_F(BatchValidatorTest, WhatNoStageHasWrittenIsWrong) {
  const BatchGroup group = batch_group(BatchKind::random, 8, 1000);
  DeviceBatchArrays arrays(*session, group, batch_problem(ArrayOperation::lu, 8, 1000));
  arrays.restore();
  const BatchCheck check = arrays.check({});
  EXPECT_EQ(check.wrong_info, 1000);
  EXPECT_EQ(check.pivots.different, 1000);
}

}  // namespace
}  // namespace lufact::gpu
