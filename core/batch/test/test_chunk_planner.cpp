// SPDX-License-Identifier: BSD-3-Clause
// Plans of chunks: every matrix once, never over the budget, whatever the sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/base/error.hpp"
#include "core/batch/chunk_planner.hpp"

namespace lufact {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

// A matrix in place, pivots and info.
ChunkRequest lu_request(Index n, Offset count, std::uint64_t budget) {
  return {
      .count = count, .bytes_per_matrix = {Offset{n} * n * 8, Offset{n} * 4, 4}, .budget = budget};
}

void expect_sound(const ChunkRequest& request, const ChunkPlan& plan) {
  ASSERT_LE(plan.bytes(), request.budget);
  ASSERT_GE(plan.buffers, 1);
  ASSERT_LE(plan.buffers, plan.chunks);
  ASSERT_TRUE(plan.chunk_matrices % chunk_unit == 0 || plan.chunks == 1);
  ASSERT_EQ(plan.array_begin.size(), request.bytes_per_matrix.size());
  std::uint64_t end = 0;
  for (std::size_t a = 0; a < plan.array_begin.size(); ++a) {
    ASSERT_GE(plan.array_begin[a], end);
    ASSERT_EQ(plan.array_begin[a] % chunk_alignment, 0U);
    end = plan.array_begin[a] +
          static_cast<std::uint64_t>(plan.chunk_matrices * request.bytes_per_matrix[a]);
  }
  ASSERT_LE(end, plan.buffer_bytes);
  ASSERT_EQ(plan.buffer_bytes % chunk_alignment, 0U);
}

void expect_every_matrix_once(const ChunkPlan& plan) {
  Offset next = 0;
  for (Offset c = 0; c < plan.chunks; ++c) {
    const Chunk chunk = plan.chunk(c);
    ASSERT_EQ(chunk.first, next);
    ASSERT_GE(chunk.matrices, 1);
    ASSERT_LE(chunk.matrices, plan.chunk_matrices);
    ASSERT_EQ(chunk.buffer, static_cast<int>(c % plan.buffers));
    next += chunk.matrices;
  }
  ASSERT_EQ(next, plan.count);
}

ChunkRequest random_request(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t bound) { return static_cast<Offset>(random() % bound); };
  ChunkRequest request{.count = 1 + below(std::uint64_t{1} << (1 + below(24)))};
  const Offset arrays = 1 + below(5);
  for (Offset a = 0; a < arrays; ++a) {
    request.bytes_per_matrix.push_back(1 + below(std::uint64_t{1} << (1 + below(15))));
  }
  request.budget = least_chunk_budget(request);
  request.budget += random() % (request.budget * (std::uint64_t{1} << below(12)));
  return request;
}

TEST(ChunkPlanner, PlansOfAnyRequestAreSound) {
  std::mt19937_64 random(20260917);
  for (int trial = 0; trial < 3000; ++trial) {
    const ChunkRequest request = random_request(random);
    const ChunkPlan plan = plan_chunks(request);
    SCOPED_TRACE(trial);
    ASSERT_NO_FATAL_FAILURE(expect_sound(request, plan));
    ASSERT_NO_FATAL_FAILURE(expect_every_matrix_once(plan));
  }
}

TEST(ChunkPlanner, TheLeastBudgetIsEnoughAndOneByteLessIsNot) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    ChunkRequest request = random_request(random);
    request.budget = least_chunk_budget(request);
    const ChunkPlan plan = plan_chunks(request);
    ASSERT_NO_FATAL_FAILURE(expect_sound(request, plan));
    ASSERT_EQ(plan.buffers, 1);
    --request.budget;
    try {
      plan_chunks(request);
      FAIL() << "a budget that is too small";
    } catch (const Error& error) {
      ASSERT_EQ(error.outcome(), Outcome::oom_device);
      ASSERT_THAT(error.what(), testing::HasSubstr(std::to_string(request.budget + 1)));
    }
  }
}

TEST(ChunkPlanner, LargeBatchesOverlapWithLittleRampUp) {
  for (const Index n : {16, 32}) {
    for (const std::uint64_t budget : {gibibyte, 60 * gibibyte}) {
      const ChunkPlan plan = plan_chunks(lu_request(n, 4'000'000, budget));
      EXPECT_EQ(plan.buffers, 4);
      EXPECT_GE(plan.chunks, 60);
      EXPECT_GE(plan.buffer_bytes, std::uint64_t{8} << 20);
    }
  }
}

TEST(ChunkPlanner, ASmallBatchIsOneChunk) {
  const ChunkPlan plan = plan_chunks(lu_request(4, 5000, gibibyte));
  EXPECT_EQ(plan.chunks, 1);
  EXPECT_EQ(plan.buffers, 1);
  EXPECT_EQ(plan.chunk(0).matrices, 5000);
}

TEST(ChunkPlanner, CountsBeyondTwoToTheThirtyOneEntriesAndTwoToTheThirtyTwoBytes) {
  for (const Offset count : {Offset{2'100'000}, Offset{300'000'000}, Offset{5'000'000'000}}) {
    const ChunkRequest request = lu_request(32, count, 3 * gibibyte);
    ASSERT_GT(count * 32 * 32, Offset{1} << 31);
    const ChunkPlan plan = plan_chunks(request);
    ASSERT_NO_FATAL_FAILURE(expect_sound(request, plan));
    ASSERT_NO_FATAL_FAILURE(expect_every_matrix_once(plan));
    const Chunk last = plan.chunk(plan.chunks - 1);
    EXPECT_EQ(last.first + last.matrices, count);
  }
}

TEST(ChunkPlanner, RefusesWhatCannotBe) {
  EXPECT_THROW(plan_chunks(lu_request(4, 0, gibibyte)), std::invalid_argument);
  EXPECT_THROW(plan_chunks({.count = 1, .bytes_per_matrix = {}, .budget = 1}),
               std::invalid_argument);
  EXPECT_THROW(plan_chunks({.count = 1, .bytes_per_matrix = {8, 0}, .budget = 100}),
               std::invalid_argument);
  try {
    plan_chunks(lu_request(64, Offset{1} << 60, gibibyte));
    FAIL() << "more bytes than can be counted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "size_overflow");
  }
}

}  // namespace
}  // namespace lufact
