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

// Room for `rows` rows of Algorithm 3 beside what stays, less the padding of `harness`.
std::uint64_t limit_for(const PermutedMatrix& matrix, std::uint64_t rows,
                        std::optional<int> words = {}) {
  StageHarness harness;
  run(*make_ooc_naive_symbolic(), harness, matrix);
  const Index n = matrix.pattern.n_rows;
  constexpr std::uint64_t beside = 16 << 10;
  return harness.session.ledger().report().resident_peak_bytes + beside +
         rows * row_scratch_bytes({n, words}, n - 1);
}

TEST_F(OocSymbolic, SanitizeWhereOneChunkHoldsAllRowsNothingIsProbedOrSplit) {
  for (const int parts : {1, 2, 5}) {
    const StructureCase structure = hidden_hub(300, 101);
    StageHarness harness;
    harness.options.symbolic_parts = parts;
    expect_same(*run(*make_ooc_symbolic(), harness, structure.matrix),
                reference::row_merge(structure.matrix.pattern));
    EXPECT_EQ(harness.notes.chunk_sizes, (std::vector<Offset>{300}));
    EXPECT_EQ(harness.notes.frontier.parts.rows, (std::vector<Offset>{300}));
    EXPECT_EQ(harness.notes.frontier.parts.max_frontier, (std::vector<Offset>{299}));
    for (const PhaseTime& phase : harness.phases.take()) {
      EXPECT_EQ(phase.name.find("probe"), std::string::npos);
    }
  }
}

TEST_F(OocSymbolic, SanitizeNumberOfPartsDoesNotChangeThePattern) {
  for (const StructureCase& structure :
       {random_case(400, 2), hidden_hub(300, 101), many_hubs(600, 61), dense_last_rows(500, 3)}) {
    const Index n = structure.matrix.pattern.n_rows;
    const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
    for (const int parts : {1, 2, 3, 4, 8}) {
      for (const std::uint64_t rows : {3, 10, 60, 150}) {
        SCOPED_TRACE(structure.name + ", parts " + std::to_string(parts) + ", room for " +
                     std::to_string(rows));
        StageHarness harness({0, limit_for(structure.matrix, rows)});
        harness.options.symbolic_parts = parts;
        expect_same(*run(*make_ooc_symbolic(), harness, structure.matrix), expected);
        const FrontierParts& found = harness.notes.frontier.parts;
        EXPECT_LE(found.rows.size(), static_cast<std::size_t>(parts));
        EXPECT_EQ(std::accumulate(found.rows.begin(), found.rows.end(), Offset{0}), n);
      }
    }
  }
}

// The arrays of the tail, with its tags, serve for the rest of the last part.
TEST_F(OocSymbolic, TheLastPartGoesOnInTheArraysOfTheTail) {
  const StructureCase structure = full_first_columns(6400, 120);
  const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
  for (const std::uint64_t rows : {700, 1200, 1600}) {
    SCOPED_TRACE(rows);
    StageHarness harness({0, limit_for(structure.matrix, rows)});
    expect_same(*run(*make_ooc_symbolic(), harness, structure.matrix), expected);
    EXPECT_EQ(harness.notes.frontier.parts.rows, (std::vector<Offset>{100, 6300}));
    const MemoryLedger& ledger = harness.session.ledger();
    EXPECT_LE(ledger.report().peak_bytes, ledger.budget());
  }
}

// What the pattern leaves holds a row with the queue that the first pass measured, not a full one.
TEST_F(OocSymbolic, TheSecondPassTakesMeasuredQueuesWhereFullOnesDoNotFit) {
  const Index n = 16000;
  const StructureCase structure = full_first_columns(n, 20);
  const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
  for (const int parts : {1, 2}) {
    SCOPED_TRACE(parts);
    StageHarness harness({0, limit_for(structure.matrix, 0) + row_scratch_bytes(n, n / 2)});
    harness.options.symbolic_parts = parts;
    expect_same(*run(*make_ooc_symbolic(), harness, structure.matrix), expected);
    EXPECT_EQ(harness.notes.frontier.parts.positions_queue.back(), 1);
  }
}

TEST_F(OocSymbolic, SanitizeRowThatOverflowsItsQueueIsSearchedAgain) {
  const StructureCase structure = hidden_hub(300, 101);
  StageHarness harness({0, limit_for(structure.matrix, 20)});
  expect_same(*run(*make_ooc_symbolic(), harness, structure.matrix),
              reference::row_merge(structure.matrix.pattern));
  const FrontierParts& parts = harness.notes.frontier.parts;
  ASSERT_EQ(parts.rows.size(), 2u);
  EXPECT_EQ(parts.rows[0] + parts.rows[1], 300);
  EXPECT_EQ(parts.max_frontier, (std::vector<Offset>{101, 299}));
  EXPECT_EQ(parts.searched_again, (std::vector<Offset>{1, 0}));
  EXPECT_EQ(parts.positions_queue, (std::vector<Offset>{101, 299}));
  EXPECT_LT(parts.count_queue[0], 101);
  // The last part goes over its rows at once while the probe runs. The second pass gives most of
  // the memory to the first part, which has most of the rows.
  EXPECT_EQ(parts.count_chunks[1], 1);
  EXPECT_GT(parts.positions_chunks[1], 1);
  const std::vector<Offset>& sizes = harness.notes.chunk_sizes;
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), Offset{0}),
            2 * (parts.rows[0] + parts.rows[1]) + 1);
}

// Ranges of rows have the size that 64 of them would have, whatever the chunks; each is the largest
// frontier of its rows.
TEST_F(OocSymbolic, SanitizeTheFrontierProfileIsTheSameWhateverTheChunks) {
  const StructureCase structure = many_hubs(640, 61);
  const auto profile = [&](std::uint64_t rows) {
    StageHarness harness({0, limit_for(structure.matrix, rows)});
    run(*make_ooc_naive_symbolic(), harness, structure.matrix);
    return harness.notes.frontier;
  };
  const FrontierProfile whole = profile(640), chunks = profile(7);
  EXPECT_EQ(whole.rows, std::vector<Offset>(64, 10));
  EXPECT_EQ(chunks.first_row, whole.first_row);
  EXPECT_EQ(chunks.max_frontier, whole.max_frontier);
}

TEST_F(OocSymbolic, SanitizePaddedWordsChangeTheChunksAndNotThePattern) {
  const StructureCase structure = random_case(400, 2);
  const ColumnPattern expected = reference::row_merge(structure.matrix.pattern);
  for (const auto& make : {make_ooc_symbolic, make_ooc_naive_symbolic, make_um_symbolic}) {
    const auto stage = make();
    SCOPED_TRACE(stage->info().name);
    const auto chunks = [&](std::optional<int> words) {
      const std::uint64_t room = 400 * row_scratch_bytes(400, 399);
      StageHarness harness({0, limit_for(structure.matrix, 400)}, {.bytes = room});
      harness.options.symbolic_words = words;
      expect_same(*run(*stage, harness, structure.matrix), expected);
      return harness.notes.chunks.value();
    };
    EXPECT_EQ(chunks({}), 1);
    EXPECT_GE(chunks(6), 3);
  }
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

TEST_F(OocSymbolic, SanitizeNaiveChunksAreOfOneSizeInEachPass) {
  const StructureCase structure = random_case(400, 1);
  const Index n = structure.matrix.pattern.n_rows;
  const std::uint64_t row = row_scratch_bytes(n, n - 1);
  const Usage usage = unlimited_usage(*make_ooc_naive_symbolic(), structure.matrix);
  StageHarness harness({0, usage.resident + 100 * row});
  expect_same(*run(*make_ooc_naive_symbolic(), harness, structure.matrix),
              reference::row_merge(structure.matrix.pattern));
  const std::vector<Offset>& sizes = harness.notes.chunk_sizes;
  const FrontierParts& parts = harness.notes.frontier.parts;
  EXPECT_EQ(parts.rows, (std::vector<Offset>{n}));
  EXPECT_EQ(parts.positions_queue, (std::vector<Offset>{n - 1}));
  EXPECT_GT(parts.count_chunks[0], 1);
  const auto first_pass = sizes.begin() + parts.count_chunks[0];
  EXPECT_EQ(std::accumulate(sizes.begin(), first_pass, Offset{0}), n);
  EXPECT_TRUE(std::all_of(sizes.begin(), first_pass - 1, [&](Offset s) { return s == sizes[0]; }));
  EXPECT_LE(*(first_pass - 1), sizes[0]);
  EXPECT_EQ(harness.notes.bytes_per_source, static_cast<double>(row));
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
