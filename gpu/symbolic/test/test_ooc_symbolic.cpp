// SPDX-License-Identifier: BSD-3-Clause
// What tells the stages of the out-of-core family apart: their chunks, parts and queues.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/reference/symbolic.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/search/chunk_planner.hpp"
#include "gpu/symbolic/search/ooc_symbolic.hpp"
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

std::shared_ptr<const ColumnPattern> run(const SymbolicStage& stage, StageHarness& harness,
                                         const PermutedMatrix& matrix) {
  return harness.download<ColumnPattern>(stage.run(harness.upload(matrix), harness.context));
}

TEST_F(OocSymbolic, SanitizeNumberOfPartsDoesNotChangeThePattern) {
  for (const int parts : {1, 3, 5}) {
    for (const StructureCase& structure : {random_case(200, 2), hidden_hub(300, 101)}) {
      StageHarness harness;
      harness.options.symbolic_parts = parts;
      expect_same(*run(*make_ooc_symbolic(), harness, structure.matrix),
                  reference::row_merge(structure.matrix.pattern));
    }
  }
}

TEST_F(OocSymbolic, SanitizeRowThatOverflowsItsQueueIsSearchedAgain) {
  const StructureCase structure = hidden_hub(300, 101);
  StageHarness harness;
  expect_same(*run(*make_ooc_symbolic(), harness, structure.matrix),
              reference::row_merge(structure.matrix.pattern));
  // Count: the first part, its one row again, the last row; then the positions of both parts.
  const std::vector<Offset>& sizes = harness.notes.chunk_sizes;
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), Offset{0}), 2 * 300 + 1);
  EXPECT_EQ(harness.notes.chunks, 5);
  const FrontierProfile& frontier = harness.notes.frontier;
  EXPECT_EQ(frontier.first_row, (std::vector<Offset>{0, 299}));
  EXPECT_EQ(frontier.max_frontier, (std::vector<Offset>{101, 299}));
  EXPECT_EQ(frontier.part, (std::vector<Offset>{0, 1}));
  EXPECT_EQ(frontier.parts.first_row, (std::vector<Offset>{0, 299}));
  EXPECT_EQ(frontier.parts.rows, (std::vector<Offset>{299, 1}));
  EXPECT_EQ(frontier.parts.max_frontier, (std::vector<Offset>{101, 299}));
  EXPECT_EQ(frontier.parts.searched_again, (std::vector<Offset>{1, 0}));
  EXPECT_EQ(frontier.parts.positions_queue, (std::vector<Offset>{101, 299}));
  EXPECT_LT(frontier.parts.count_queue[0], 101);
}

struct Usage {
  std::uint64_t resident = 0, scratch = 0;
};

Usage unlimited_usage(const SymbolicStage& stage, const PermutedMatrix& matrix) {
  StageHarness harness;
  run(stage, harness, matrix);
  const DeviceMemoryReport report = harness.session.ledger().report();
  return {report.resident_peak_bytes, report.scratch_peak_bytes};
}

TEST_F(OocSymbolic, ChunksGrowStrictlyAsTheScratchShrinksAndTheBudgetIsKept) {
  for (const auto& make : {make_ooc_symbolic, make_ooc_naive_symbolic}) {
    const auto stage = make();
    for (const StructureCase& structure :
         {random_case(2000, 1), chain(4000), dense_last_rows(2500, 2)}) {
      SCOPED_TRACE(stage->info().name + " " + structure.name);
      const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
      const Usage usage = unlimited_usage(*stage, structure.matrix);
      Offset chunks_before = 0;
      for (const std::uint64_t share : {1, 2, 8, 64}) {
        StageHarness harness({0, usage.resident + usage.scratch / share});
        expect_same(*run(*stage, harness, structure.matrix), expected);
        const MemoryLedger& ledger = harness.session.ledger();
        EXPECT_LE(ledger.report().peak_bytes, ledger.budget());
        EXPECT_GT(harness.notes.chunks.value(), chunks_before) << "scratch / " << share;
        chunks_before = harness.notes.chunks.value();
      }
    }
  }
}

TEST_F(OocSymbolic, SanitizeNaiveChunksAreOfOneSizeAndServeBothPasses) {
  const StructureCase structure = random_case(400, 1);
  const Index n = structure.matrix.pattern.n_rows;
  const std::uint64_t row = row_scratch_bytes(n, n - 1);
  const Usage usage = unlimited_usage(*make_ooc_naive_symbolic(), structure.matrix);
  StageHarness harness({0, usage.resident + 100 * row});
  expect_same(*run(*make_ooc_naive_symbolic(), harness, structure.matrix),
              reference::row_merge(structure.matrix.pattern));
  const std::vector<Offset>& sizes = harness.notes.chunk_sizes;
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), Offset{0}), n);
  EXPECT_GT(sizes.size(), 4u);
  EXPECT_TRUE(std::all_of(sizes.begin(), sizes.end() - 1, [&](Offset s) { return s == sizes[0]; }));
  EXPECT_LE(sizes.back(), sizes.front());
  EXPECT_EQ(harness.notes.bytes_per_source, static_cast<double>(row));
  const FrontierParts& parts = harness.notes.frontier.parts;
  EXPECT_EQ(parts.rows, (std::vector<Offset>{n}));
  EXPECT_EQ(parts.count_chunks, parts.positions_chunks);
}

TEST_F(OocSymbolic, SanitizeInCoreIsOneChunkOrAnErrorThatSaysWhatItTakes) {
  const StructureCase structure = random_case(300, 2);
  StageHarness harness;
  expect_same(*run(*make_in_core_symbolic(), harness, structure.matrix),
              reference::row_merge(structure.matrix.pattern));
  EXPECT_EQ(harness.notes.chunk_sizes, (std::vector<Offset>{300}));
  const std::uint64_t all = 300 * row_scratch_bytes(300, 299);
  EXPECT_GE(harness.session.ledger().report().scratch_peak_bytes, all);
  StageHarness small({0, all});
  try {
    run(*make_in_core_symbolic(), small, structure.matrix);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "device_budget");
    EXPECT_NE(std::string(error.what()).find(std::to_string(all)), std::string::npos);
  }
  EXPECT_EQ(small.session.ledger().in_use(), 0u);
}

}  // namespace
}  // namespace lufact::gpu
