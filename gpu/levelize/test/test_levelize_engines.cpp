// SPDX-License-Identifier: BSD-3-Clause
// One body for every engine of levelization: the schedule is the CPU's, whatever finds it.
#include <gtest/gtest.h>

#include <memory>

#include "core/base/error.hpp"
#include "core/columns/levelize.hpp"
#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/levelize/test/engines_under_test.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

constexpr DependencyRule all_rules[] = {DependencyRule::glu1, DependencyRule::exact,
                                        DependencyRule::relaxed};

// The parameter is the place of the engine in engines_under_test().
class LevelizeEngines : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
  const LevelizeStage& engine() const { return *stages_[GetParam()]; }

  void expect_schedule(StageHarness& harness, const ProductPtr& pattern,
                       const ColumnSchedule& expected) {
    SCOPED_TRACE(to_string(expected.rule));
    harness.options.dependency = expected.rule;
    const ProductPtr schedule = engine().run(pattern, harness.context);
    const auto& device = product_cast<DeviceColumnSchedule>(*schedule);
    EXPECT_EQ(device.levels, expected.levels());
    EXPECT_EQ(device.max_width, expected.max_width());
    EXPECT_EQ(device.host_level_ptr(harness.session), expected.level_ptr);
    const auto host = harness.download<ColumnSchedule>(schedule);
    EXPECT_EQ(host->rule, expected.rule);
    EXPECT_EQ(host->level_of, expected.level_of);
    EXPECT_EQ(host->columns, expected.columns);
    EXPECT_EQ(host->level_ptr, expected.level_ptr);
  }

  void expect_schedules(const StructureCase& structure) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const ColumnPattern pattern = reference::row_merge(structure.matrix.pattern);
    {
      const ProductPtr device = harness.transfer(std::make_shared<ColumnPattern>(pattern));
      for (const DependencyRule rule : all_rules) {
        expect_schedule(harness, device, column_schedule(pattern, rule));
      }
    }
    EXPECT_EQ(harness.session.ledger().in_use(), 0u);
  }

 private:
  std::vector<std::unique_ptr<LevelizeStage>> stages_ = engines_under_test();
};

INSTANTIATE_TEST_SUITE_P(All, LevelizeEngines,
                         ::testing::Range(std::size_t{0}, engines_under_test().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& engine) {
                           std::string name = engines_under_test()[engine.param]->info().name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Rows of one dense block, of one row or column that meets all others, of no dependency at all.
std::vector<StructureCase> extreme_cases() {
  std::vector<test::Triplet> dense, into_last, out_of_first, lower, upper;
  constexpr Index n = 130;
  for (Index i = 0; i < n; ++i) {
    into_last.insert(into_last.end(), {{n - 1, i, 1}, {i, n - 1, 1}});
    out_of_first.insert(out_of_first.end(), {{0, i, 1}, {i, 0, 1}});
    for (Index j = 0; j < n; ++j) {
      dense.push_back({i, j, 1});
      (j < i ? lower : upper).push_back({i, j, 1});
    }
  }
  return {make_case("dense", n, dense),
          make_case("arrow_into_last", n, into_last),
          make_case("arrow_out_of_first", n, out_of_first),
          make_case("full_lower_triangle", n, lower),
          make_case("full_upper_triangle", n, upper),
          make_case("diagonal", n, {})};
}

TEST_P(LevelizeEngines, SanitizeSchedulesOfSmallMatricesAreThoseOfTheCpu) {
  for (const StructureCase& structure : small_cases()) expect_schedules(structure);
  for (const StructureCase& structure : extreme_cases()) expect_schedules(structure);
}

TEST_P(LevelizeEngines, SchedulesOfLargerMatricesAreThoseOfTheCpu) {
  expect_schedules(chain(3000));
  expect_schedules(folded_path(1000));
  expect_schedules(dense_last_rows(3000, 40));
  for (const Index n : {255, 256, 257, 1023, 1024, 1025}) expect_schedules(random_case(n, 1));
  expect_schedules(random_case(1200, 1));
  expect_schedules(random_case(1500, 3));
}

TEST_P(LevelizeEngines, SanitizeOnlyCountersAreReadBack) {
  StageHarness harness;
  const ColumnPattern pattern = reference::row_merge(random_case(150, 2).matrix.pattern);
  const ProductPtr device = harness.transfer(std::make_shared<ColumnPattern>(pattern));
  const TransferCounters before = harness.session.counters();
  const ProductPtr schedule = engine().run(device, harness.context);
  const TransferCounters after = harness.session.counters();
  EXPECT_EQ(after.bytes_h2d, before.bytes_h2d);
  EXPECT_EQ(after.bytes_d2h, before.bytes_d2h);
  EXPECT_GT(after.control_reads, before.control_reads);
}

TEST_P(LevelizeEngines, SanitizeTheHostReadsTheLevelOffsetsOnce) {
  StageHarness harness;
  const ColumnPattern pattern = reference::row_merge(chain(100).matrix.pattern);
  const ProductPtr device = harness.transfer(std::make_shared<ColumnPattern>(pattern));
  const ProductPtr schedule = engine().run(device, harness.context);
  const auto& levels = product_cast<DeviceColumnSchedule>(*schedule);
  const auto before = harness.session.counters().control_reads;
  EXPECT_EQ(levels.host_level_ptr(harness.session).size(), 101u);
  EXPECT_EQ(levels.host_level_ptr(harness.session).back(), 100);
  EXPECT_EQ(harness.session.counters().control_reads - before, 7u);  // 16 offsets to a read
}

TEST_P(LevelizeEngines, ABudgetThatIsTooSmallIsOutOfMemoryAndLeaksNothing) {
  const ColumnPattern pattern = reference::row_merge(random_case(500, 2).matrix.pattern);
  bool fitted = false;
  for (std::uint64_t budget = 20000; !fitted; budget += budget / 4) {
    ASSERT_LT(budget, std::uint64_t{1} << 30);
    StageHarness harness({0, budget});
    try {
      const ProductPtr device = harness.transfer(std::make_shared<ColumnPattern>(pattern));
      engine().run(device, harness.context);
      fitted = true;
    } catch (const Error& error) {
      EXPECT_EQ(error.outcome(), Outcome::oom_device);
    }
    EXPECT_EQ(harness.session.ledger().in_use(), 0u);
  }
}

}  // namespace
}  // namespace lufact::gpu
