// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/levelize/host_loop_levelize.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

constexpr DependencyRule all_rules[] = {DependencyRule::glu1, DependencyRule::exact,
                                        DependencyRule::relaxed};

class HostLoopLevelize : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

void expect_reference_schedule(StageHarness& harness, const ProductPtr& pattern,
                               const ColumnPattern& host_pattern, DependencyRule rule) {
  SCOPED_TRACE(to_string(rule));
  harness.options.dependency = rule;
  const ProductPtr schedule = make_host_loop_levelize()->run(pattern, harness.context);
  const auto host = harness.download<ColumnSchedule>(schedule);
  ASSERT_NE(host, nullptr);
  const ColumnSchedule expected = reference::levelize(host_pattern, rule);
  EXPECT_EQ(host->rule, rule);
  EXPECT_EQ(host->level_of, expected.level_of);
  EXPECT_EQ(host->columns, expected.columns);
  EXPECT_EQ(host->level_ptr, expected.level_ptr);
}

void expect_reference_schedules(const StructureCase& structure) {
  SCOPED_TRACE(structure.name);
  StageHarness harness;
  const ColumnPattern pattern = reference::row_merge(structure.matrix.pattern);
  {
    const ProductPtr device = harness.transfer(std::make_shared<ColumnPattern>(pattern));
    for (const DependencyRule rule : all_rules) {
      expect_reference_schedule(harness, device, pattern, rule);
    }
  }
  EXPECT_EQ(harness.session.ledger().in_use(), 0u);
}

TEST_F(HostLoopLevelize, SanitizeSchedulesOfSmallMatricesAreThoseOfTheReference) {
  for (const StructureCase& structure : small_cases()) expect_reference_schedules(structure);
}

TEST_F(HostLoopLevelize, SchedulesOfLargerMatricesAreThoseOfTheReference) {
  expect_reference_schedules(chain(3000));
  expect_reference_schedules(random_case(1200, 1));
  expect_reference_schedules(random_case(400, 3));
}

TEST_F(HostLoopLevelize, SanitizeOnlyCountersAreReadBack) {
  StageHarness harness;
  const ColumnPattern pattern = reference::row_merge(random_case(150, 2).matrix.pattern);
  const ProductPtr device = harness.transfer(std::make_shared<ColumnPattern>(pattern));
  const TransferCounters before = harness.session.counters();
  const ProductPtr schedule = make_host_loop_levelize()->run(device, harness.context);
  const TransferCounters after = harness.session.counters();
  EXPECT_EQ(after.bytes_h2d, before.bytes_h2d);
  EXPECT_EQ(after.bytes_d2h, before.bytes_d2h);
  EXPECT_GT(after.control_reads, before.control_reads);
}

}  // namespace
}  // namespace lufact::gpu
