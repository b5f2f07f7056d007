// SPDX-License-Identifier: BSD-3-Clause
// Sanitizers do not see protocols in global memory: symbolic and levelize run hundreds of times
// beside kernels that take a random part of the card for a random time, so that blocks are delayed
// and reordered, and every result is compared with the reference.
#include <gtest/gtest.h>

#include "core/reference/levelize.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/levelize/host_loop_levelize.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/solve/test/busy_kernel.hpp"
#include "gpu/symbolic/ooc_symbolic.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

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

TEST_F(StructureStress, HundredsOfRunsBesideACompetingKernelGiveTheReferencesResults) {
  for (const StructureCase& structure :
       {random_case(700, 2), folded_path(900), hidden_hub(600, 333), dense_last_rows(500, 4)}) {
    SCOPED_TRACE(structure.name);
    StageHarness harness;
    const OtherStream other;
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    const ColumnSchedule levels = reference::levelize(expected, DependencyRule::relaxed);
    harness.options.dependency = DependencyRule::relaxed;
    const ProductPtr matrix = harness.upload(structure.matrix);
    for (std::uint64_t run = 0; run < 150; ++run) {
      SCOPED_TRACE(run);
      other.occupy_randomly(harness.session.sm_count(), run);
      harness.options.symbolic_parts = static_cast<int>(run % 3) + 1;
      const auto pattern = make_ooc_symbolic()->run(matrix, harness.context);
      const auto schedule = make_host_loop_levelize()->run(pattern, harness.context);
      const auto host_pattern = harness.download<ColumnPattern>(pattern);
      ASSERT_EQ(host_pattern->rows.row_ptr, expected.rows.row_ptr);
      ASSERT_EQ(host_pattern->rows.col_idx, expected.rows.col_idx);
      ASSERT_EQ(host_pattern->diagonal, expected.diagonal);
      ASSERT_EQ(harness.download<ColumnSchedule>(schedule)->columns, levels.columns);
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
