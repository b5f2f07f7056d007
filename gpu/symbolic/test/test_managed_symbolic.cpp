// SPDX-License-Identifier: BSD-3-Clause
// The stages whose work arrays are in managed memory: what they take, and where their pages are
// put. Nothing here asks for more than the card has.
#include <gtest/gtest.h>

#include <map>

#include "core/base/error.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/search/chunk_planner.hpp"
#include "gpu/symbolic/search/ooc_symbolic.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

using MakeStage = std::unique_ptr<SymbolicStage> (*)();

class ManagedSymbolic : public ::testing::TestWithParam<MakeStage> {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }

  static std::shared_ptr<const ColumnPattern> run(StageHarness& harness,
                                                  const PermutedMatrix& matrix) {
    const ProductPtr on_device = harness.upload(matrix);
    const auto phase = harness.phases.scope("symbolic");
    return harness.download<ColumnPattern>(GetParam()()->run(on_device, harness.context));
  }

  static std::map<std::string, PhaseTime> phases_of(StageHarness& harness) {
    std::map<std::string, PhaseTime> phases;
    for (const PhaseTime& phase : harness.phases.take()) phases[phase.name] = phase;
    return phases;
  }
};

INSTANTIATE_TEST_SUITE_P(Device, ManagedSymbolic,
                         ::testing::Values(make_um_symbolic, make_um_prefetch_symbolic));

TEST_P(ManagedSymbolic, SanitizeOneAllocationAndOneChunkWhereAllRowsFit) {
  const StructureCase structure = random_case(300, 2);
  StageHarness harness;
  expect_same(*run(harness, structure.matrix), reference::row_merge(structure.matrix.pattern));
  EXPECT_EQ(harness.notes.chunks, 1);
  EXPECT_EQ(harness.notes.chunk_sizes, (std::vector<Offset>{300}));
  EXPECT_EQ(harness.session.ledger().report().managed_peak_bytes,
            300 * row_scratch_bytes(300, 299));
}

TEST_P(ManagedSymbolic, SanitizeAsManyRowsInFlightAsTheManagedBytesHold) {
  const StructureCase structure = hidden_hub(300, 101);
  const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
  const std::uint64_t row = row_scratch_bytes(300, 299);
  for (const std::uint64_t rows : {1, 2, 7, 150, 299, 300, 1000}) {
    StageHarness harness({}, {.bytes = rows * row + 3});
    expect_same(*run(harness, structure.matrix), expected);
    const auto chunks = static_cast<Offset>((300 + rows - 1) / rows);
    EXPECT_EQ(harness.notes.chunks, chunks);
    EXPECT_LE(harness.session.ledger().report().managed_peak_bytes, rows * row);
  }
}

TEST_P(ManagedSymbolic, SanitizeLessThanOneRowIsRefusedWithTheOptionThatRaisesIt) {
  StageHarness harness({}, {.bytes = 100});
  try {
    run(harness, random_case(300, 2).matrix);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), "managed_limit");
    EXPECT_NE(std::string(error.what()).find("--um-bytes"), std::string::npos);
  }
}

TEST_P(ManagedSymbolic, WherePagesStartAndGoDoesNotChangeThePattern) {
  for (const StructureCase& structure : {random_case(700, 2), many_hubs(600, 61)}) {
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    const Index n = structure.matrix.pattern.n_rows;
    for (const std::uint64_t rows : {n, n / 5}) {
      for (const bool host_start : {false, true}) {
        for (const bool evict : {false, true}) {
          ManagedOptions managed;
          managed.bytes = rows * row_scratch_bytes(n, n - 1);
          managed.host_start = host_start;
          managed.evict_between_chunks = evict;
          StageHarness harness({}, managed);
          expect_same(*run(harness, structure.matrix), expected);
          const auto phases = phases_of(harness);
          EXPECT_EQ(phases.contains("symbolic/host-start"), host_start);
          EXPECT_TRUE(phases.contains("symbolic/free"));
          EXPECT_EQ(phases.contains("symbolic/positions/evict"), evict);
          EXPECT_EQ(phases.contains("symbolic/count/evict"), evict && harness.notes.chunks > 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
