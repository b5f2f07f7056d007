// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/chunk_planner.hpp"
#include "gpu/symbolic/ooc_symbolic.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class OocSymbolic : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

// Runs the stage and brings the pattern back.
std::shared_ptr<const ColumnPattern> run(StageHarness& harness, const PermutedMatrix& matrix) {
  const auto pattern = make_ooc_symbolic()->run(harness.upload(matrix), harness.context);
  return harness.download<ColumnPattern>(pattern);
}

void expect_same(const ColumnPattern& pattern, const ColumnPattern& expected) {
  EXPECT_EQ(pattern.rows.n_rows, expected.rows.n_rows);
  EXPECT_EQ(pattern.rows.row_ptr, expected.rows.row_ptr);
  EXPECT_EQ(pattern.rows.col_idx, expected.rows.col_idx);
  EXPECT_EQ(pattern.diagonal, expected.diagonal);
}

void expect_reference_pattern(const StructureCase& structure, int parts) {
  SCOPED_TRACE(structure.name + ", parts: " + std::to_string(parts));
  StageHarness harness;
  harness.options.symbolic_parts = parts;
  const auto pattern = run(harness, structure.matrix);
  ASSERT_NE(pattern, nullptr);
  expect_same(*pattern, reference::row_merge(structure.matrix.pattern));
  EXPECT_EQ(harness.session.ledger().in_use(), 0u);
}

TEST_F(OocSymbolic, SanitizePatternsOfSmallMatricesAreThoseOfTheReference) {
  for (const StructureCase& structure : small_cases()) expect_reference_pattern(structure, 2);
}

TEST_F(OocSymbolic, SanitizeNumberOfPartsDoesNotChangeThePattern) {
  for (const int parts : {1, 3, 5}) {
    expect_reference_pattern(random_case(200, 2), parts);
    expect_reference_pattern(hidden_hub(300, 101), parts);
  }
}

TEST_F(OocSymbolic, PatternsOfLargerMatricesAreThoseOfTheReference) {
  expect_reference_pattern(random_case(2000, 1), 2);
  expect_reference_pattern(random_case(1000, 3), 2);
  expect_reference_pattern(chain(5000), 2);
  expect_reference_pattern(folded_path(3000), 2);
  expect_reference_pattern(dense_last_rows(1500, 5), 2);
  expect_reference_pattern(late_hub(1500), 2);
}

TEST_F(OocSymbolic, SanitizeRowThatOverflowsItsQueueIsSearchedAgain) {
  const StructureCase structure = hidden_hub(300, 101);
  StageHarness harness;
  const auto pattern = run(harness, structure.matrix);
  expect_same(*pattern, reference::row_merge(structure.matrix.pattern));
  // Count: the first part, its one row again, the last row; then the positions of both parts.
  EXPECT_EQ(harness.notes.chunk_sizes, (std::vector<Offset>{299, 1, 1, 299, 1}));
  EXPECT_EQ(harness.notes.chunks, 5);
  EXPECT_EQ(harness.notes.frontier.first_row, (std::vector<Offset>{0, 299}));
  EXPECT_EQ(harness.notes.frontier.max_frontier, (std::vector<Offset>{101, 299}));
}

TEST_F(OocSymbolic, SanitizeOnlyCountersAreReadBackAndNothingIsUploaded) {
  StageHarness harness;
  const ProductPtr matrix = harness.upload(random_case(150, 2).matrix);
  const TransferCounters before = harness.session.counters();
  const ProductPtr pattern = make_ooc_symbolic()->run(matrix, harness.context);
  const TransferCounters after = harness.session.counters();
  EXPECT_EQ(after.bytes_h2d, before.bytes_h2d);
  EXPECT_EQ(after.bytes_d2h, before.bytes_d2h);
  EXPECT_GT(after.control_reads, before.control_reads);
}

TEST_F(OocSymbolic, SanitizeEntriesAreCheckedAgainstTheRestOfThePipelineBeforeTheyAreAllocated) {
  StageHarness harness;
  const StructureCase structure = random_case(100, 2);
  const ProductPtr matrix = harness.upload(structure.matrix);
  const std::uint64_t held = harness.session.ledger().in_use();
  Offset told = 0;
  harness.context.check_resident = [&](Offset nnz) {
    told = nnz;
    throw Error(Outcome::oom_device, "device_budget", "the factors do not fit");
  };
  EXPECT_THROW(make_ooc_symbolic()->run(matrix, harness.context), Error);
  EXPECT_EQ(told, reference::row_merge(structure.matrix.pattern).rows.nnz());
  EXPECT_EQ(harness.session.ledger().in_use(), held);
}

struct Usage {
  std::uint64_t resident = 0, scratch = 0;
};

Usage unlimited_usage(const PermutedMatrix& matrix, const ColumnPattern& expected) {
  StageHarness harness;
  expect_same(*run(harness, matrix), expected);
  const DeviceMemoryReport report = harness.session.ledger().report();
  return {report.resident_peak_bytes, report.scratch_peak_bytes};
}

// Every limit either gives the pattern within the budget, or the documented error and no charge.
TEST_F(OocSymbolic, SanitizeBudgetsFromOneRowUpwardsGiveThePatternOrSayWhatIsMissing) {
  for (const StructureCase& structure : {random_case(129, 2), hidden_hub(300, 101), chain(65)}) {
    SCOPED_TRACE(structure.name);
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    const Usage usage = unlimited_usage(structure.matrix, expected);
    const std::uint64_t one_row = row_scratch_bytes(structure.matrix.pattern.n_rows, 1);
    int succeeded = 0, failed = 0;
    for (std::uint64_t rows = 0; rows <= 64; rows = rows * 2 + 1) {
      StageHarness harness({0, usage.resident + rows * one_row});
      try {
        expect_same(*run(harness, structure.matrix), expected);
        ++succeeded;
      } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::oom_device);
        EXPECT_EQ(error.code(), "device_budget");
        EXPECT_EQ(succeeded, 0) << "a larger budget failed where a smaller one did not";
        ++failed;
      }
      EXPECT_EQ(harness.session.ledger().in_use(), 0u);
      EXPECT_LE(harness.session.ledger().report().peak_bytes, harness.session.ledger().budget());
    }
    EXPECT_GT(succeeded, 0);
    EXPECT_GT(failed, 0);
  }
}

TEST_F(OocSymbolic, ChunksGrowStrictlyAsTheScratchShrinksAndTheBudgetIsKept) {
  for (const StructureCase& structure :
       {random_case(2000, 1), chain(4000), dense_last_rows(2500, 2)}) {
    SCOPED_TRACE(structure.name);
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    const Usage usage = unlimited_usage(structure.matrix, expected);
    Offset chunks_before = 0;
    for (const std::uint64_t share : {1, 2, 8, 64}) {
      StageHarness harness({0, usage.resident + usage.scratch / share});
      expect_same(*run(harness, structure.matrix), expected);
      const MemoryLedger& ledger = harness.session.ledger();
      EXPECT_LE(ledger.report().peak_bytes, ledger.budget());
      EXPECT_GT(harness.notes.chunks.value(), chunks_before) << "scratch / " << share;
      chunks_before = harness.notes.chunks.value();
    }
  }
}

}  // namespace
}  // namespace lufact::gpu
