// SPDX-License-Identifier: BSD-3-Clause
// What every symbolic stage of the device owes, whatever its way: the reference's pattern, within
// any budget that it can run in, without copies of arrays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/gpu.hpp"
#include "gpu/gsofa/gsofa_plan.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/test/column_stages.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

std::vector<std::string> stage_names() {
  std::vector<std::string> names;
  for (const auto& stage : column_symbolic_stages()) names.push_back(stage->info().name);
  return names;
}

class EverySymbolicStage : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    for (auto& stage : column_symbolic_stages()) {
      if (stage->info().name == GetParam()) stage_ = std::move(stage);
    }
    ASSERT_NE(stage_, nullptr);
  }

  std::shared_ptr<const ColumnPattern> run(StageHarness& harness, const PermutedMatrix& matrix) {
    return harness.download<ColumnPattern>(stage_->run(harness.upload(matrix), harness.context));
  }

  // Nothing is held afterwards; returns what was.
  DeviceMemoryReport expect_reference_pattern(const StructureCase& structure,
                                              const ColumnPattern& expected,
                                              const SessionOptions& limit = {},
                                              const ManagedOptions& managed = {},
                                              std::optional<std::uint64_t> gsofa_budget = {}) {
    SCOPED_TRACE(structure.name);
    StageHarness harness(limit, managed);
    harness.options.gsofa.budget = gsofa_budget;
    expect_same(*run(harness, structure.matrix), expected);
    const MemoryLedger& ledger = harness.session.ledger();
    EXPECT_EQ(ledger.in_use() + ledger.managed(), 0u);
    EXPECT_LE(ledger.report().peak_bytes, ledger.budget());
    EXPECT_LE(ledger.report().managed_peak_bytes, managed.bytes.value_or(ledger.budget()));
    return ledger.report();
  }

  std::unique_ptr<SymbolicStage> stage_;
};

std::string test_name(const ::testing::TestParamInfo<std::string>& stage) {
  std::string name = stage.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Device, EverySymbolicStage, ::testing::ValuesIn(stage_names()), test_name);

TEST_P(EverySymbolicStage, SanitizeGivesTheReferencesPatternOfSmallMatrices) {
  for (const StructureCase& structure : small_cases()) {
    expect_reference_pattern(structure, reference::row_merge(structure.matrix.pattern));
  }
}

TEST_P(EverySymbolicStage, GivesTheReferencesPatternOfLargerMatrices) {
  for (const StructureCase& structure :
       {random_case(2000, 1), random_case(1000, 3), chain(5000), folded_path(3000),
        entered_path(1200), dense_last_rows(1500, 5), late_hub(1500), many_hubs(1500, 61),
        arrow(2047, false)}) {
    expect_reference_pattern(structure, reference::row_merge(structure.matrix.pattern));
  }
}

// With the bytes that must stay and the least that the stage says it works in. The array of GSoFa
// would take half of both: it is given a budget, without the numbers of each row, which are beside.
TEST_P(EverySymbolicStage, RunsInTheLeastMemoryThatItNames) {
  for (const StructureCase& structure : small_cases()) {
    SCOPED_TRACE(structure.name);
    const Index n = structure.matrix.pattern.n_rows;
    const auto work = stage_->work_bytes(n);
    if (!work) GTEST_SKIP() << "the stage names none";
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    const std::uint64_t resident =
        expect_reference_pattern(structure, expected).resident_peak_bytes;
    constexpr std::uint64_t counters = 64 << 10;
    const bool has_array = GetParam() == "gpu-gsofa";
    std::optional<std::uint64_t> budget;
    if (has_array) budget = work->least - gsofa_row_bytes({.n = n, .chunk_size = 128});
    const std::uint64_t limit =
        resident + (work->managed ? counters : work->least) + (has_array ? counters : 0);
    expect_reference_pattern(structure, expected, {0, limit}, {.bytes = work->least}, budget);
  }
}

// Every limit either gives the pattern within the budget, or the documented error and no charge.
TEST_P(EverySymbolicStage, BudgetsFromNothingUpwardsGiveThePatternOrSayWhatIsMissing) {
  for (const StructureCase& structure :
       {random_case(129, 2), hidden_hub(300, 101), many_hubs(200, 37), chain(65)}) {
    SCOPED_TRACE(structure.name);
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    const DeviceMemoryReport whole = expect_reference_pattern(structure, expected);
    const std::uint64_t most = std::max(whole.scratch_peak_bytes, whole.managed_peak_bytes);
    bool succeeded = false, failed = false;
    for (std::uint64_t bytes = 0; !succeeded || bytes < most; bytes = bytes * 3 / 2 + 256) {
      SCOPED_TRACE(bytes);
      StageHarness harness({0, whole.resident_peak_bytes + bytes}, {.bytes = bytes});
      try {
        expect_same(*run(harness, structure.matrix), expected);
        succeeded = true;
      } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::oom_device);
        EXPECT_THAT(error.code(),
                    ::testing::AnyOf("device_budget", "managed_limit", "gsofa_budget"));
        EXPECT_FALSE(succeeded) << "a larger budget failed where a smaller one did not";
        failed = true;
      }
      const MemoryLedger& ledger = harness.session.ledger();
      EXPECT_EQ(ledger.in_use() + ledger.managed(), 0u);
      EXPECT_LE(ledger.report().peak_bytes, ledger.budget());
      EXPECT_LE(ledger.report().managed_peak_bytes, bytes);
      ASSERT_LE(bytes, 64 * (most + 4096)) << "more than was ever used is not enough";
    }
    EXPECT_TRUE(failed);
  }
}

TEST_P(EverySymbolicStage, SanitizeReadsOnlyCountersBackAndUploadsNothing) {
  StageHarness harness;
  const ProductPtr matrix = harness.upload(random_case(150, 2).matrix);
  const TransferCounters before = harness.session.counters();
  const ProductPtr pattern = stage_->run(matrix, harness.context);
  const TransferCounters after = harness.session.counters();
  EXPECT_EQ(after.bytes_h2d, before.bytes_h2d);
  EXPECT_EQ(after.bytes_d2h, before.bytes_d2h);
  EXPECT_GT(after.control_reads, before.control_reads);
}

TEST_P(EverySymbolicStage, SanitizeAsksWhetherTheRestFitsBeforeItAllocatesTheEntries) {
  StageHarness harness;
  const StructureCase structure = random_case(100, 2);
  const ProductPtr matrix = harness.upload(structure.matrix);
  const std::uint64_t held = harness.session.ledger().in_use();
  Offset told = 0;
  harness.context.check_resident = [&](Offset nnz) {
    told = nnz;
    throw Error(Outcome::oom_device, "device_budget", "the factors do not fit");
  };
  EXPECT_THROW(stage_->run(matrix, harness.context), Error);
  EXPECT_EQ(told, reference::row_merge(structure.matrix.pattern).rows.nnz());
  EXPECT_EQ(harness.session.ledger().in_use(), held);
  EXPECT_EQ(harness.session.ledger().managed(), 0u);
}

}  // namespace
}  // namespace lufact::gpu
