// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include "gpu/batch/copy_array.hpp"
#include "gpu/batch/test/batch_on_device.hpp"

namespace lufact::gpu {
namespace {

class CopyArrayTest : public DeviceTest {
 protected:
  template <class Real>
  void expect_copy(const ArrayProblem& problem, Offset shift) {
    const BatchGroup group = batch_group(BatchKind::random, problem.rows, problem.count);
    DeviceBatchArrays arrays(*session, group, problem, {.shift = shift});
    arrays.restore();
    const ArrayOptions options;
    std::vector<Choice> choices;
    std::vector<Warning> warnings;
    ArrayContext context{options, choices, warnings, &*session};
    const auto prepared = make_copy_array()->prepare(problem, context);
    prepared->run(arrays.operands(), problem.count);
    const Index n = problem.rows;
    const ArrayOperands operands = arrays.operands();
    const DeviceReader<Real> result(*session, problem, operands.result, n, problem.ld);
    for (Offset k = 0; k < problem.count; ++k) {
      for (Index e = 0; e < n * n; ++e) {
        const double entry = batch_entry(*group.kind, group.seed, n, k, e % n, e / n);
        ASSERT_EQ(result(k, e % n, e / n), static_cast<Real>(entry)) << k << " " << e;
      }
      const BatchResult one = arrays.result(k);
      EXPECT_EQ(one.info, 0);
      for (Index i = 0; i < n; ++i) ASSERT_EQ(one.pivots[at(i)], i + 1);
    }
    EXPECT_EQ(arrays.damaged_guards(), 0);
  }
};

TEST_F(CopyArrayTest, SanitizeEverythingArrivesInEveryLayout) {
  for (const ArrayLayout layout : all_layouts) {
    for (const auto operation :
         {ArrayOperation::lu, ArrayOperation::inverse, ArrayOperation::solve}) {
      for (const Index n : {1, 3, 16, 33}) {
        for (const Offset count : {1, 3, 67}) {
          SCOPED_TRACE(testing::Message() << to_string(layout) << " " << to_string(operation) << " "
                                          << count << " of order " << n);
          for_both_precisions([&](Precision precision, auto real) {
            ArrayProblem problem = batch_problem(operation, n, count, precision);
            problem.layout = layout;
            expect_copy<decltype(real)>(problem, 0);
            expect_copy<decltype(real)>(problem, 1);
          });
        }
      }
    }
  }
}

TEST_F(CopyArrayTest, PaddingBetweenColumnsStays) {
  for (const ArrayLayout layout : all_layouts) {
    ArrayProblem problem = batch_problem(ArrayOperation::inverse, 5, 40);
    problem.layout = layout;
    problem.ld = 7;
    expect_copy<double>(problem, 0);
  }
}

TEST_F(CopyArrayTest, ThePartOfABatch) {
  const ArrayProblem problem = batch_problem(ArrayOperation::lu, 4, 100);
  DeviceBatchArrays arrays(*session, batch_group(BatchKind::random, 4, 100), problem);
  arrays.restore();
  const ArrayOptions options;
  std::vector<Choice> choices;
  std::vector<Warning> warnings;
  ArrayContext context{options, choices, warnings, &*session};
  make_copy_array()->prepare(problem, context)->run(arrays.operands(), 60);
  EXPECT_EQ(arrays.result(59).info, 0);
  EXPECT_NE(arrays.result(60).info, 0);
}

}  // namespace
}  // namespace lufact::gpu
