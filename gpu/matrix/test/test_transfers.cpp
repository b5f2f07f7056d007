// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class Transfers : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

TEST(TransferList, NamesEachTypeAndDirectionOnce) {
  const auto list = make_transfers();
  EXPECT_EQ(list.size(), 5u);
  for (const auto& one : list) {
    EXPECT_NE(one->from(), one->to());
    int same = 0;
    for (const auto& other : list) {
      same += one->type() == other->type() && one->from() == other->from() ? 1 : 0;
    }
    EXPECT_EQ(same, 1) << one->type().name;
  }
}

TEST_F(Transfers, SanitizeMatrixArrivesAsItIs) {
  for (const StructureCase& structure : {random_case(65, 2), chain(1), random_case(200, 3)}) {
    StageHarness harness;
    const auto device = harness.upload(structure.matrix);
    const auto& matrix = product_cast<DevicePermutedMatrix>(*device);
    EXPECT_EQ(matrix.n, structure.matrix.pattern.n_rows);
    EXPECT_EQ(matrix.nnz, structure.matrix.pattern.nnz());
    EXPECT_EQ(matrix.row_ptr.download(), structure.matrix.pattern.row_ptr);
    EXPECT_EQ(matrix.col_idx.download(), structure.matrix.pattern.col_idx);
    EXPECT_TRUE(std::ranges::equal(matrix.values.download(), structure.matrix.values));
    EXPECT_EQ(matrix.row_scale.download(), structure.matrix.row_scale);
    EXPECT_EQ(matrix.col_scale.download(), structure.matrix.col_scale);
    EXPECT_EQ(matrix.scaled_norm, structure.matrix.scaled_norm);
  }
}

TEST_F(Transfers, SanitizeOfAMatrixOfNewValuesOnlyTheValuesAreCopied) {
  const StructureCase structure = random_case(65, 2);
  StageHarness harness;
  const auto device = harness.upload(structure.matrix);
  auto changed = std::make_shared<PermutedMatrix>(structure.matrix);
  for (double& value : changed->values) value *= 1.5;
  const Offset before = harness.session.counters().bytes_h2d;
  ProductPtr again;
  for (const auto& transfer : make_transfers()) {
    if (!(transfer->type() == product_types::permuted_matrix)) continue;
    again = transfer->run_with_new_values(changed, *device, harness.context);
  }
  const auto& matrix = product_cast<DevicePermutedMatrix>(*again);
  EXPECT_EQ(harness.session.counters().bytes_h2d - before, 8 * matrix.nnz);
  EXPECT_TRUE(std::ranges::equal(matrix.values.download(), changed->values));
  EXPECT_EQ(matrix.col_idx.data(), product_cast<DevicePermutedMatrix>(*device).col_idx.data());
  EXPECT_EQ(matrix.row_scale.download(), changed->row_scale);
}

TEST_F(Transfers, SanitizePatternAndScheduleComeBackAsTheyWent) {
  for (const StructureCase& structure : small_cases()) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const ColumnPattern pattern = reference::row_merge(structure.matrix.pattern);
    const auto device_pattern = harness.transfer(std::make_shared<ColumnPattern>(pattern));
    const auto pattern_back = harness.download<ColumnPattern>(device_pattern);
    EXPECT_EQ(pattern_back->rows.row_ptr, pattern.rows.row_ptr);
    EXPECT_EQ(pattern_back->rows.col_idx, pattern.rows.col_idx);
    EXPECT_EQ(pattern_back->diagonal, pattern.diagonal);
    const ColumnSchedule schedule = reference::levelize(pattern, DependencyRule::relaxed);
    const auto device_schedule = harness.transfer(std::make_shared<ColumnSchedule>(schedule));
    const auto schedule_back = harness.download<ColumnSchedule>(device_schedule);
    EXPECT_EQ(schedule_back->rule, schedule.rule);
    EXPECT_EQ(schedule_back->level_of, schedule.level_of);
    EXPECT_EQ(schedule_back->columns, schedule.columns);
    EXPECT_EQ(schedule_back->level_ptr, schedule.level_ptr);
  }
}

}  // namespace
}  // namespace lufact::gpu
