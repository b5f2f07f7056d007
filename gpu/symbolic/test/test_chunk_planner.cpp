// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "core/base/error.hpp"
#include "gpu/symbolic/search/chunk_planner.hpp"

namespace lufact::gpu {
namespace {

using ::testing::HasSubstr;

std::vector<RowChunk> plan_all(Index n, const std::vector<RowPart>& parts, std::uint64_t budget) {
  std::vector<RowChunk> chunks;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const RowChunk& chunk : plan_chunks(n, parts[p], static_cast<int>(p), budget)) {
      chunks.push_back(chunk);
    }
  }
  return chunks;
}

TEST(ChunkPlanner, EveryRowIsInExactlyOneChunkAndNoChunkPassesTheBudget) {
  for (const Index n : {1, 2, 3, 31, 32, 33, 100, 1000, 4097}) {
    const RowPart whole{0, n, n};
    const std::vector<RowPart> parts{{0, n / 3, std::max(n / 10, 1)},
                                     {n / 3, n - n / 3, whole.full_capacity()}};
    const std::uint64_t one_row = row_scratch_bytes(n, whole.full_capacity());
    for (std::uint64_t budget = one_row; budget < 2 * one_row * static_cast<std::uint64_t>(n);
         budget = budget * 5 / 3 + 1) {
      Index next = 0;
      for (const RowChunk& chunk : plan_all(n, parts, budget)) {
        EXPECT_EQ(chunk.first_row, next);
        EXPECT_GT(chunk.rows, 0);
        EXPECT_LE(
            static_cast<std::uint64_t>(chunk.rows) * row_scratch_bytes(n, chunk.queue_capacity),
            budget);
        next = chunk.first_row + chunk.rows;
      }
      EXPECT_EQ(next, n);
    }
  }
}

TEST(ChunkPlanner, APartThatFitsWholeIsOneChunk) {
  const auto chunks = plan_chunks(1000, {200, 300, 500}, 1, 300 * row_scratch_bytes(1000, 500));
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_EQ(chunks[0].first_row, 200);
  EXPECT_EQ(chunks[0].rows, 300);
  EXPECT_EQ(chunks[0].queue_capacity, 500);
  EXPECT_EQ(chunks[0].part, 1);
}

TEST(ChunkPlanner, ChunksOfAPartDifferInSizeByTheLastOneOnly) {
  const auto chunks = plan_chunks(1000, {0, 1000, 1000}, 0, 300 * row_scratch_bytes(1000, 1000));
  ASSERT_EQ(chunks.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(chunks[k].rows, 250);
}

TEST(ChunkPlanner, HalvingTheScratchOfARunAlwaysGivesMoreChunks) {
  for (const Index n : {2000, 2001, 5177, 79841}) {
    const RowPart part{0, n, n};
    std::uint64_t scratch = static_cast<std::uint64_t>(n) * row_scratch_bytes(n, n);
    std::size_t before = 0;
    for (const std::uint64_t share : {1, 2, 8, 64}) {
      const std::size_t chunks = plan_chunks(n, part, 0, scratch / share).size();
      EXPECT_GT(chunks, before) << n << " rows, 1/" << share;
      before = chunks;
    }
  }
}

TEST(ChunkPlanner, ASizeThatIsGivenIsNotPassedHoweverMuchThereIs) {
  const std::uint64_t budget = 300 * row_scratch_bytes(1000, 999);
  const auto first = plan_chunks(1000, undivided_rows(1000).front(), 0, budget);
  const Index size = first.front().rows;
  EXPECT_EQ(plan_chunks(1000, undivided_rows(1000).front(), 0, 2 * budget, size).size(),
            first.size());
  EXPECT_GT(plan_chunks(1000, undivided_rows(1000).front(), 0, budget / 2, size).size(),
            first.size());
}

TEST(ChunkPlanner, UndividedRowsAreOnePartWithTheFullBound) {
  EXPECT_TRUE(undivided_rows(0).empty());
  for (const Index n : {1, 2, 3, 1000}) {
    const std::vector<RowPart> parts = undivided_rows(n);
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].first_row, 0);
    EXPECT_EQ(parts[0].rows, n);
    EXPECT_EQ(parts[0].queue_capacity, std::max(n - 1, 1));
  }
}

TEST(ChunkPlanner, WithoutABudgetAllRowsAreOneChunk) {
  for (const Index n : {1, 1000, (Index{1} << 30) - 1}) {
    const auto chunks = plan_chunks(n, undivided_rows(n).front(), 0, ScratchBudget::unlimited());
    ASSERT_EQ(chunks.size(), 1u);
    EXPECT_EQ(chunks[0].rows, n);
  }
}

TEST(ChunkPlanner, AManagedBudgetNamesItsOwnOption) {
  try {
    plan_chunks(1000, undivided_rows(1000).front(), 0, ScratchBudget::managed(100));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "managed_limit");
    EXPECT_THAT(error.what(), HasSubstr("--um-bytes"));
  }
}

TEST(ChunkPlanner, ABudgetBelowOneRowSaysHowManyBytesOneRowNeeds) {
  const std::uint64_t one_row = row_scratch_bytes(1000, 1000);
  EXPECT_EQ(plan_chunks(1000, {0, 1000, 1000}, 0, one_row).size(), 1000u);
  try {
    plan_chunks(1000, {0, 1000, 1000}, 0, one_row - 1);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), "device_budget");
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(one_row)));
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(one_row - 1)));
  }
}

TEST(ChunkPlanner, BytesOfARowAreCountedIn64Bits) {
  constexpr Index n = (Index{1} << 30) - 1;
  EXPECT_EQ(row_scratch_bytes(n, n), (std::uint64_t{1} << 33) - 4);
  EXPECT_EQ(rows_in_flight(n, n, n, std::numeric_limits<std::uint64_t>::max()), n);
}

TEST(ChunkPlanner, PaddedWordsMakeARowWhatE2ECounts) {
  for (const Index n : {1000, 1001, 79841}) {
    const auto words = static_cast<std::uint64_t>(n) * sizeof(Index);
    EXPECT_NEAR(static_cast<double>(row_scratch_bytes({n, 6}, n)), 6.0 * static_cast<double>(words),
                64);
    EXPECT_NEAR(static_cast<double>(row_scratch_bytes({n, 6}, 0)), 2.0 * static_cast<double>(words),
                64);
    EXPECT_NEAR(static_cast<double>(row_scratch_bytes(n, n)), 2.0 * static_cast<double>(words), 64);
    for (const int c : {3, 4, 5, 6}) {
      for (const Index queue : {1, n / 7, n - 1}) {
        EXPECT_GE(row_scratch_bytes({n, c}, queue), row_scratch_bytes(n, queue));
        EXPECT_EQ(row_scratch_bytes({n, c}, queue) % sizeof(Index), 0u);
      }
    }
  }
  const RowPart all = undivided_rows(1000).front();
  const std::uint64_t budget = 100 * row_scratch_bytes({1000, 6}, all.queue_capacity);
  EXPECT_EQ(plan_chunks({1000, 6}, all, 0, budget).size(), 10u);
  EXPECT_EQ(plan_chunks(1000, all, 0, budget).size(), 4u);
}

TEST(ChunkPlanner, RowsAreDivisibleWhereThreeChunksAreTooFewAndHalfTheBudgetHoldsARow) {
  for (const Index n : {100, 1000, 40000}) {
    const std::uint64_t row = row_scratch_bytes(n, n - 1);
    const auto third = static_cast<std::uint64_t>((n + 2) / 3);
    EXPECT_FALSE(is_divisible(n, third * row));
    EXPECT_TRUE(is_divisible(n, third * row - 1));
    EXPECT_TRUE(is_divisible(n, 4 * row + 8192));
    EXPECT_FALSE(is_divisible(n, 2 * row));
    EXPECT_FALSE(is_divisible(n, ScratchBudget::unlimited()));
  }
}

TEST(ProbeRows, AreAscendingDistinctAndIncludeTheLastRow) {
  for (const Index n : {0, 1, 2, 63, 64, 65, 74, 100, 2000, 1 << 29}) {
    const std::vector<Index> rows = probe_rows(n);
    EXPECT_EQ(rows.size(), static_cast<std::size_t>(std::min(n, 64)));
    for (std::size_t k = 1; k < rows.size(); ++k) EXPECT_LT(rows[k - 1], rows[k]);
    if (n > 0) {
      EXPECT_GE(rows.front(), 0);
      EXPECT_EQ(rows.back(), n - 1);
    }
  }
}

TEST(SplitRows, TwoPartsMeetWhereTheFrontierFirstPassesHalfItsMaximum) {
  const std::vector<FrontierSample> samples{{99, 3},   {199, 10},  {299, 50},
                                            {399, 51}, {499, 100}, {599, 20}};
  const std::vector<RowPart> parts = split_rows(600, samples, 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].first_row, 0);
  EXPECT_EQ(parts[0].rows, 300);
  EXPECT_GE(parts[0].queue_capacity, 100);
  EXPECT_LE(parts[0].queue_capacity, 200);
  EXPECT_EQ(parts[1].first_row, 300);
  EXPECT_EQ(parts[1].rows, 300);
  EXPECT_EQ(parts[1].queue_capacity, 599);
}

TEST(SplitRows, AnyNumberOfPartsCoversAllRowsWithinTheirBounds) {
  for (const Index n : {1, 2, 5, 100, 1000}) {
    for (const Index slope : {0, 1, 3}) {
      std::vector<FrontierSample> samples;
      for (const Index row : probe_rows(n))
        samples.push_back({row, std::min(row, slope * row / 2)});
      for (int parts = 1; parts <= 6; ++parts) {
        Index next = 0;
        for (const RowPart& part : split_rows(n, samples, parts)) {
          EXPECT_EQ(part.first_row, next);
          EXPECT_GT(part.rows, 0);
          EXPECT_GE(part.queue_capacity, 1);
          EXPECT_LE(part.queue_capacity, part.full_capacity());
          next += part.rows;
        }
        EXPECT_EQ(next, n);
      }
    }
  }
}

TEST(BytesOfTail, LeaveASixteenthTheProbesRowsAndThoseThatAreSearchedAgain) {
  const RowArrays arrays(1000);
  const std::uint64_t row = row_scratch_bytes(arrays, 999);
  EXPECT_EQ(bytes_of_tail(arrays, 16'000 * row), 15'000 * row);
  EXPECT_EQ(bytes_of_tail(arrays, 200 * row), 136 * row);
  EXPECT_EQ(bytes_of_tail(arrays, 20 * row), 10 * row);
  const std::uint64_t least = 2 * bytes_to_search_again(arrays);
  EXPECT_EQ(bytes_of_tail(arrays, least), least / 2);
}

TEST(TailSuffices, WhereTheLastPartWantsWhatTheTailCouldHaveAndNoLess) {
  EXPECT_TRUE(tail_suffices(1500, 1500));
  EXPECT_TRUE(tail_suffices(1500, 1600));
  EXPECT_FALSE(tail_suffices(1500, 1601));
  EXPECT_FALSE(tail_suffices(1500, 1499));
}

TEST(BytesOfLastPart, GoByTheTagsThatItsRowsLookThrough) {
  const RowArrays arrays(1000);
  const std::uint64_t budget = 100 * row_scratch_bytes(arrays, 999);
  const RowPart early{0, 500, 999}, last{500, 500, 999};
  const std::array parts{early, last};
  EXPECT_NEAR(static_cast<double>(bytes_of_last_part(arrays, parts, budget, 0)),
              0.75 * static_cast<double>(budget), 1);
  const RowPart small{0, 500, 1};
  const std::array cheaper{small, last};
  EXPECT_GT(bytes_of_last_part(arrays, cheaper, budget, 0),
            bytes_of_last_part(arrays, parts, budget, 0));
  EXPECT_EQ(bytes_of_last_part(arrays, std::array{last}, budget, 7), budget);
}

TEST(BytesOfLastPart, LeaveFewFirstRowsMoreThanOneAtATime) {
  const RowArrays arrays(80000);
  const std::uint64_t row = row_scratch_bytes(arrays, 2), budget = 1600 * row;
  const std::array parts{RowPart{0, 2500, 2}, RowPart{2500, 77500, 2}};
  const std::uint64_t early = budget - bytes_of_last_part(arrays, parts, budget, row);
  EXPECT_GE(early, 20 * row);
  EXPECT_LE(early, 50 * row);
}

TEST(BytesOfLastPart, HoldARowOfItAndLeaveWhatTheOthersNeed) {
  const RowArrays arrays(1000);
  const std::uint64_t row = row_scratch_bytes(arrays, 999);
  const std::array late{RowPart{0, 1, 1}, RowPart{1, 999, 999}};
  EXPECT_EQ(bytes_of_last_part(arrays, late, 3 * row, 2 * row), row);
  const std::array early{RowPart{0, 999, 999}, RowPart{999, 1, 999}};
  EXPECT_EQ(bytes_of_last_part(arrays, early, 10 * row, row), row);
}

TEST(SplitRows, OnePartHasTheFullBound) {
  const std::vector<FrontierSample> samples{{9, 1}, {99, 2}};
  const std::vector<RowPart> parts = split_rows(100, samples, 1);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].queue_capacity, 99);
}

}  // namespace
}  // namespace lufact::gpu
