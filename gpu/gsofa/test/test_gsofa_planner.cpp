// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gpu/gsofa/gsofa_plan.hpp"
#include "gpu/gsofa/test/plan_cases.hpp"

namespace lufact::gpu {
namespace {

using Rule = GsofaConcurrencyOption::Rule;
using namespace test;

// The smallest row that is reached from `source` where every row reaches all from its first column
// to itself.
Index lowest_by_closure(const std::vector<Index>& first, Index source) {
  Index lowest = source;
  for (Index row = source; row >= lowest; --row) lowest = std::min(lowest, first[at(row)]);
  return lowest;
}

TEST(GsofaReach, IsClosedAndNoLarger) {
  Random random(31);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = uniform(random, 1, 200);
    const std::vector<Index> first = random_first_columns(n, random);
    const std::vector<Index> lowest = lowest_reached(first);
    for (Index row = 0; row < n; ++row) {
      ASSERT_EQ(lowest[at(row)], lowest_by_closure(first, row)) << row;
    }
  }
}

// Two subtrees of three and their parent: each vertex but the last of them reaches its own alone.
TEST(GsofaReach, IsTheSubtreeBehindADissection) {
  const std::vector<Index> first{0, 1, 0, 3, 4, 3, 0};
  EXPECT_THAT(lowest_reached(first), ::testing::ElementsAre(0, 1, 0, 3, 4, 3, 0));
  const GsofaShare all{{.n = 7}, 1, 0};
  EXPECT_THAT(GsofaReach(all, first).begins(), ::testing::ElementsAre(0, 0, 0, 2, 2, 2, 4, 10));
  const GsofaShare second{{.n = 7, .chunk_size = 2, .stride = 2, .first_chunk = 1}, 1, 0};
  EXPECT_THAT(GsofaReach(second, first).begins(), ::testing::ElementsAre(0, 2, 2, 8));
}

// Whatever loads come back, every row is in one batch, and its parts are in the array.
TEST(GsofaPlanner, FollowsTheLoadWithinTheBudget) {
  Random random(77);
  for (int trial = 0; trial < 200; ++trial) {
    GsofaOptions options;
    options.layout = uniform(random, 0, 1) > 0 ? GsofaLayout::paper : GsofaLayout::merged;
    const Index n = uniform(random, 1, 3000);
    GsofaNeeds needs = needs_of(n, 0);
    needs.card.l2_bytes = static_cast<std::uint64_t>(uniform(random, 1, 1 << 20));
    needs.budget_bytes =
        static_cast<std::uint64_t>(n) * 40 * static_cast<std::uint64_t>(uniform(random, 1, 300)) +
        512;
    GsofaPlanner planner(needs, options);
    GsofaLoad load;
    Offset next = 0;
    while (const std::optional<GsofaBatch> batch = planner.next(load)) {
      ASSERT_EQ(batch->first, next);
      ASSERT_GE(batch->slots, 1);
      next += batch->slots;
      expect_sound(planner.plan(), *batch, needs, options);
      load = {batch->slots, uniform(random, 0, 1 << 24), uniform(random, 1, 200)};
    }
    ASSERT_EQ(next, n);
  }
}

// The same as the search does it, batch by batch, with and without the reach of the rows.
TEST(GsofaPlanner, WhatABatchTakesOverReadsAsUntouched) {
  Random random(25);
  int reached = 0;
  for (int trial = 0; trial < 300; ++trial) {
    GsofaOptions options;
    options.layout = uniform(random, 0, 2) > 0 ? GsofaLayout::merged : GsofaLayout::paper;
    options.windows = uniform(random, 0, 3) > 0;
    const Index n = uniform(random, 1, 400);
    GsofaNeeds needs = needs_of(n, 0);
    needs.rows.chunk_size = uniform(random, 1, 40);
    const auto least =
        static_cast<std::uint64_t>(4 * (n + gsofa_slot_words(n, options.layout).stride) + 64);
    needs.budget_bytes = least * static_cast<std::uint64_t>(uniform(random, 1, 30));
    needs.window_top = static_cast<MaxIdWord>(n * uniform(random, 1, 5) + uniform(random, 0, n));
    if (GsofaPlanner::wants_reach(needs, options)) {
      const GsofaShare share{needs.rows, 1, 0};
      needs.reach = std::make_shared<const GsofaReach>(share, random_first_columns(n, random));
      ++reached;
    }
    GsofaPlanner planner(needs, options);
    PlayedArray array(needs, options, planner.plan().array_words, random);
    GsofaLoad load;
    Offset rows = 0;
    while (const std::optional<GsofaBatch> batch = planner.next(load)) {
      ASSERT_GE(batch->division.queue_capacity, 1);
      ASSERT_LE(batch->division.queue_begin + 4 * batch->division.queue_capacity,
                batch->division.fill_begin(batch->slots - 1));
      array.play(*batch, planner.plan().slots(*batch));
      if (HasFatalFailure()) return;
      rows += batch->slots;
      load = {batch->slots, uniform(random, 0, 1 << 24), uniform(random, 1, 200),
              uniform(random, 0, n * batch->slots)};
    }
    ASSERT_EQ(rows, n);
  }
  EXPECT_GT(reached, 50);
}

// Rows that reach a few vertices each: nearly all that maxId took is there for more sources.
TEST(GsofaPlanner, ReachMakesLargerBatches) {
  GsofaOptions options;
  options.layout = GsofaLayout::merged;
  GsofaNeeds needs = needs_of(40000, 30 << 20);
  ASSERT_TRUE(GsofaPlanner::wants_reach(needs, options));
  GsofaPlanner triangles(needs, options);
  std::vector<Index> first(40000);
  for (Index row = 0; row < 40000; ++row) first[at(row)] = row / 100 * 100;
  needs.reach = std::make_shared<const GsofaReach>(GsofaShare{needs.rows, 1, 0}, first);
  GsofaPlanner reaches(needs, options);
  const auto batches = [](GsofaPlanner& planner) {
    int count = 0;
    GsofaLoad load;
    while (const std::optional<GsofaBatch> batch = planner.next(load)) {
      load = {batch->slots, 10 * batch->slots, 10, batch->slots};
      ++count;
    }
    return count;
  };
  EXPECT_LT(10 * batches(reaches), batches(triangles));
  options.layout = GsofaLayout::paper;
  EXPECT_FALSE(GsofaPlanner::wants_reach(needs, options));
  options.layout = GsofaLayout::merged;
  needs.budget_bytes = std::uint64_t{8} << 30;
  EXPECT_FALSE(GsofaPlanner::wants_reach(needs, options));
}

// What little a batch loses by whole chunks it may lose, where memory decides.
TEST(GsofaPlanner, CutsChunksWhereMemoryHoldsNotManyOfThem) {
  GsofaOptions options;
  for (const std::uint64_t megabytes : {20, 40, 80, 160}) {
    GsofaNeeds needs = needs_of(20000, megabytes << 20);
    GsofaPlanner planner(needs, options);
    GsofaLoad load;
    while (const std::optional<GsofaBatch> batch = planner.next(load)) {
      load = {batch->slots, batch->slots, 1000, batch->slots};
      if (planner.plan().bound != "memory" || batch->slots % 128 == 0) continue;
      EXPECT_LT(batch->slots % 128 * 8 - 8 * 128, batch->slots);
    }
  }
}

TEST(GsofaPlanner, TakesWhatTheCacheHoldsWhereThatSaturatesTheCard) {
  GsofaNeeds needs = needs_of(40000, std::uint64_t{64} << 30);
  GsofaPlanner busy(needs, {}), idle(needs, {});
  const Offset first = busy.next({})->slots;
  EXPECT_EQ(idle.next({})->slots, first);
  EXPECT_EQ(busy.plan().bound, "cache");
  const Offset lanes = 32 * needs.card.resident_warps;
  EXPECT_LE(busy.next({first, 1000 * lanes, 10})->slots, first);
  EXPECT_EQ(busy.plan().bound, "cache");
  EXPECT_GE(idle.next({first, lanes, 1000})->slots, std::min(16 * first - 128, 40000 - first));
  EXPECT_EQ(idle.plan().bound, "occupancy");
}

// Where the card is filled, but by more sources than the cache holds, later rows may have more.
TEST(GsofaPlanner, GrowsByLittleWhereABatchFillsTheCard) {
  GsofaNeeds needs = needs_of(40000, std::uint64_t{64} << 30);
  GsofaPlanner planner(needs, {});
  const Offset lanes = 32 * needs.card.resident_warps;
  const Offset first = planner.next({})->slots;
  const Offset second = planner.next({first, lanes, 1000})->slots;
  const Offset third = planner.next({second, 2 * lanes, 1})->slots;
  EXPECT_LE(third, 2 * second);
  EXPECT_GE(third, 2 * second - 128);
}

// A run of rows without a frontier, as in a nested dissection's leaves, is no reason to begin anew.
TEST(GsofaPlanner, GrowsWhereNoSourceHasAFrontier) {
  GsofaNeeds needs = needs_of(40000, std::uint64_t{64} << 30);
  GsofaPlanner planner(needs, {});
  const Offset first = planner.next({})->slots;
  const Offset second = planner.next({first, 0, 0})->slots;
  EXPECT_GE(second, std::min(16 * first - 128, 40000 - first));
  EXPECT_GE(planner.next({second, 0, 0})->slots, std::min(second, 40000 - first - second));
  while (planner.next({second, 0, 0})) continue;
  EXPECT_EQ(planner.plan().least_sources, first);
  EXPECT_GE(planner.plan().most_sources, second);
}

// What maxId and fill leave of the array is queue: no frontier of a few n #C goes to the host.
TEST(GsofaPlanner, QueuesTakeTheRestOfTheArray) {
  GsofaNeeds needs = needs_of(13514, std::uint64_t{64} << 30);
  GsofaPlanner planner(needs, {});
  const GsofaBatch batch = *planner.next({});
  const GsofaDivision& division = batch.division;
  EXPECT_GE(division.queue_capacity, 4 * Offset{13514} * batch.slots);
  EXPECT_GT(division.queue_begin + 4 * (division.queue_capacity + 1),
            division.fill_begin(batch.slots - 1));
  GsofaOptions forced;
  forced.queue = 77;
  EXPECT_EQ(GsofaPlanner(needs, forced).next({})->division.queue_capacity, 77);
}

// An eighth of n^2 words are queue, where all rows are one batch.
TEST(GsofaPlanner, ManyRowsDoNotMakeTheArrayLong) {
  GsofaOptions options;
  options.layout = GsofaLayout::merged;
  const GsofaPlanner planner(needs_of(25187, std::uint64_t{64} << 30), options);
  EXPECT_NEAR(static_cast<double>(planner.plan().array_words), 0.66 * 25187 * 25187, 1e7);
}

TEST(GsofaPlanner, IsThePlanWhereTheOptionsFixIt) {
  GsofaOptions options;
  options.concurrency = {Rule::fixed, 300};
  const GsofaNeeds needs = needs_of(5000, std::uint64_t{1} << 24);
  const GsofaPlan plan = plan_gsofa(needs, options);
  GsofaPlanner planner(needs, options);
  for (const GsofaBatch& expected : plan.batches) {
    const std::optional<GsofaBatch> batch = planner.next({});
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(batch->first, expected.first);
    EXPECT_EQ(batch->slots, expected.slots);
  }
  EXPECT_FALSE(planner.next({}).has_value());
}

}  // namespace
}  // namespace lufact::gpu
