// SPDX-License-Identifier: BSD-3-Clause
// Sanitizers do not see protocols in global memory: every symbolic stage and every engine of
// levelization runs hundreds of times beside kernels that take a random part of the card for a
// random time, so that blocks are delayed and reordered, and every result is compared with the
// reference.
#include <gtest/gtest.h>

#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/gpu.hpp"
#include "gpu/levelize/test/engines_under_test.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/test/column_stages.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class StructureStress : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

std::vector<StructureCase> stress_cases() {
  return {random_case(700, 2), folded_path(900), hidden_hub(600, 333), dense_last_rows(500, 4)};
}

TEST_F(StructureStress, HundredsOfSymbolicRunsBesideACompetingKernelGiveTheReferencesPattern) {
  for (const StructureCase& structure : stress_cases()) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const OtherStream other;
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    const ProductPtr matrix = harness.upload(structure.matrix);
    const auto stages = column_symbolic_stages();
    for (std::uint64_t run = 0; run < 60 * stages.size(); ++run) {
      SCOPED_TRACE(stages[run % stages.size()]->info().name);
      other.occupy_randomly(harness.session.sm_count(), run);
      harness.options.symbolic_parts = static_cast<int>(run / stages.size() % 3) + 1;
      const auto pattern = stages[run % stages.size()]->run(matrix, harness.context);
      const auto host_pattern = harness.download<ColumnPattern>(pattern);
      ASSERT_EQ(host_pattern->rows.row_ptr, expected.rows.row_ptr);
      ASSERT_EQ(host_pattern->rows.col_idx, expected.rows.col_idx);
      ASSERT_EQ(host_pattern->diagonal, expected.diagonal);
    }
  }
}

void expect_levels_beside_a_competing_kernel(const LevelizeStage& engine,
                                             const StructureCase& structure, DependencyRule rule,
                                             std::uint64_t runs) {
  SCOPED_TRACE(engine.info().name + " on " + structure.name);
  StageHarness harness;
  const OtherStream other;
  const ColumnPattern pattern = reference::row_merge(structure.matrix.pattern);
  const ColumnSchedule expected = reference::levelize(pattern, rule);
  const ProductPtr device = harness.transfer(std::make_shared<ColumnPattern>(pattern));
  harness.options.dependency = rule;
  for (std::uint64_t run = 0; run < runs; ++run) {
    SCOPED_TRACE(run);
    other.occupy_randomly(harness.session.sm_count(), run);
    const ProductPtr schedule = engine.run(device, harness.context);
    const auto host = harness.download<ColumnSchedule>(schedule);
    ASSERT_EQ(host->level_of, expected.level_of);
    ASSERT_EQ(host->columns, expected.columns);
    ASSERT_EQ(host->level_ptr, expected.level_ptr);
  }
}

TEST_F(StructureStress, HundredsOfRunsOfEveryEngineBesideACompetingKernelGiveTheReferencesLevels) {
  for (const auto& engine : engines_under_test()) {
    for (const StructureCase& structure : stress_cases()) {
      for (const DependencyRule rule : {DependencyRule::exact, DependencyRule::relaxed}) {
        expect_levels_beside_a_competing_kernel(*engine, structure, rule, 50);
      }
    }
    expect_levels_beside_a_competing_kernel(*engine, random_case(20000, 1), DependencyRule::relaxed,
                                            20);
  }
}

}  // namespace
}  // namespace lufact::gpu
