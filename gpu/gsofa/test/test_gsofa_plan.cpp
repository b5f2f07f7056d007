// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "core/base/error.hpp"
#include "gpu/gsofa/gsofa_plan.hpp"

namespace lufact::gpu {
namespace {

using ::testing::HasSubstr;
using Rule = GsofaConcurrencyOption::Rule;

using Random = std::mt19937;

Index uniform(Random& random, Index least, Index most) {
  return std::uniform_int_distribution<Index>(least, most)(random);
}

// Every combination of layout and space options that the command line lets through.
std::vector<GsofaOptions> all_spaces() {
  std::vector<GsofaOptions> all;
  for (const GsofaLayout layout : {GsofaLayout::paper, GsofaLayout::merged}) {
    for (const bool external : {false, true}) {
      for (int packed = 0; packed < 3; ++packed) {
        GsofaOptions options;
        options.layout = layout;
        options.external = external;
        options.bubbles = packed > 0;
        options.dynamic = packed > 1;
        all.push_back(options);
      }
    }
  }
  return all;
}

GsofaNeeds needs_of(Index n, std::uint64_t budget_bytes) {
  GsofaNeeds needs;
  needs.rows.n = n;
  needs.budget_bytes = budget_bytes;
  needs.card = {50 << 20, 6336};
  return needs;
}

TEST(GsofaSchedule, EverySourceOnceAscendingInEverySlotWithChunksWholeOnANode) {
  Random random(20);
  for (int trial = 0; trial < 400; ++trial) {
    const Index n = uniform(random, 1, 3000);
    GsofaNeeds needs = needs_of(n, std::uint64_t{64} << 20);
    needs.rows.chunk_size = uniform(random, 1, 300);
    needs.rows.stride = uniform(random, 1, 5);
    needs.devices = uniform(random, 1, 6);
    GsofaOptions options;
    options.concurrency = {Rule::fixed, uniform(random, 1, 700)};
    std::vector<int> searched(at(n), 0);
    for (Index node = 0; node < needs.rows.stride; ++node) {
      needs.rows.first_chunk = node;
      const GsofaPlan plan = plan_gsofa(needs, options);
      std::vector<std::vector<Index>> last(at(needs.devices));
      Offset positions = 0;
      for (const GsofaBatch& batch : plan.batches) {
        for (Index device = 0; device < needs.devices; ++device) {
          const GsofaSlots slots = plan.slots(batch, device);
          ASSERT_LE(slots.count, batch.slots);
          auto& tags = last[at(device)];
          if (tags.size() < at(slots.count)) tags.resize(at(slots.count), -1);
          for (Index slot = 0; slot < slots.count; ++slot) {
            const Index row = slots.row(slot);
            ASSERT_GE(row, 0);
            ASSERT_LT(row, n);
            ++searched[at(row)];
            ASSERT_LT(tags[at(slot)], row);
            tags[at(slot)] = row;
            ASSERT_EQ(needs.rows.chunk_of(row) % needs.rows.stride, node);
            ++positions;
          }
        }
      }
      EXPECT_EQ(positions, needs.rows.positions());
    }
    EXPECT_THAT(searched, ::testing::Each(1));
  }
}

TEST(GsofaSchedule, BatchesHoldWholeChunksWhereTheyHoldOne) {
  Random random(21);
  for (int trial = 0; trial < 400; ++trial) {
    GsofaNeeds needs = needs_of(uniform(random, 1, 3000), std::uint64_t{64} << 20);
    needs.rows.chunk_size = uniform(random, 1, 300);
    needs.devices = uniform(random, 1, 6);
    GsofaOptions options;
    options.concurrency = {Rule::fixed, uniform(random, 1, 700)};
    const GsofaPlan plan = plan_gsofa(needs, options);
    Offset next_chunk = 0;
    for (std::size_t b = 0; b < plan.batches.size(); ++b) {
      const GsofaBatch& batch = plan.batches[b];
      EXPECT_EQ(batch.first_chunk, next_chunk);
      next_chunk = batch.end_chunk;
      const Offset rows = Offset{batch.slots} * needs.devices;
      const bool some_chunks =
          batch.slots >= needs.rows.chunk_size / std::gcd(needs.rows.chunk_size, needs.devices);
      if (b + 1 < plan.batches.size() && some_chunks) {
        EXPECT_EQ(rows % needs.rows.chunk_size, 0);
        EXPECT_EQ(batch.end_chunk - batch.first_chunk, rows / needs.rows.chunk_size);
      }
    }
    EXPECT_EQ(next_chunk, needs.rows.chunks());
  }
}

TEST(GsofaConcurrency, PaperGivesItsPublishedNumbers) {
  constexpr std::uint64_t sixteen = std::uint64_t{16} << 30;
  EXPECT_EQ(gsofa_paper_sources(659033, sixteen), 1024);  // pre2, section 5
  const auto ratio = [](Index n, double nnz) {
    const Offset sources = gsofa_paper_sources(n, sixteen);
    return static_cast<double>(gsofa_table2_bytes(n, sources)) / (4 * nnz + 8.0 * n);
  };
  EXPECT_NEAR(ratio(64089, 376395), 3121, 1);     // Fig. 5, mark3jac140sc
  EXPECT_NEAR(ratio(943695, 77651847), 36, 0.5);  // audikw_1
  EXPECT_EQ(gsofa_paper_sources(1000, 1), 1);
}

TEST(GsofaConcurrency, BoundSaysWhatDecided) {
  GsofaOptions options;
  EXPECT_EQ(plan_gsofa(needs_of(200, 1 << 30), options).bound, "rows");
  EXPECT_EQ(plan_gsofa(needs_of(100000, std::uint64_t{64} << 30), options).bound, "occupancy");
  EXPECT_EQ(plan_gsofa(needs_of(100000, std::uint64_t{1} << 28), options).bound, "memory");
  GsofaNeeds small_rows = needs_of(5000, std::uint64_t{64} << 30);
  small_rows.card.resident_warps = 64;
  const GsofaPlan cached = plan_gsofa(small_rows, options);
  EXPECT_EQ(cached.bound, "cache");
  EXPECT_LE(cached.most_sources * 5000 * 6, Offset{50} << 20);
  options.concurrency = {Rule::fixed, 256};
  const GsofaPlan fixed = plan_gsofa(needs_of(100000, std::uint64_t{64} << 30), options);
  EXPECT_EQ(fixed.bound, "option");
  EXPECT_EQ(fixed.least_sources, 256);
  EXPECT_EQ(fixed.most_sources, 256);
}

// The parts of a batch's division lie in the array in their order, and hold what its slots need.
void expect_sound(const GsofaPlan& plan, const GsofaBatch& batch, const GsofaNeeds& needs,
                  const GsofaOptions& options) {
  const GsofaDivision& division = batch.division;
  ASSERT_EQ(division.words, plan.array_words);
  ASSERT_LE(static_cast<std::uint64_t>(division.words) * 4, needs.budget_bytes);
  for (Index device = 0; device < needs.devices; ++device) {
    const GsofaSlots slots = plan.slots(batch, device);
    ASSERT_LE(slots.max_id_begin(slots.count), division.max_id_words);
  }
  ASSERT_EQ(division.queue_begin, division.max_id_words);
  ASSERT_GE(division.queue_capacity, 1);
  ASSERT_LE(division.queue_begin + 4 * division.queue_capacity,
            division.fill_begin(batch.slots - 1));
  ASSERT_EQ(division.fill_begin(0) + division.fill_stride, division.words);
  ASSERT_EQ(division.fill_begin(0) % 4, 0);
  if (options.queue) {
    ASSERT_EQ(division.queue_capacity, *options.queue);
  }
  if (!options.external) {
    ASSERT_EQ(division.queue_capacity % needs.rows.n, 0);
  }
}

TEST(GsofaDivision, EveryBudgetFromOneSourceUpward) {
  for (const Index n : {1, 2, 5, 33, 130, 700}) {
    for (GsofaOptions options : all_spaces()) {
      GsofaNeeds needs = needs_of(n, 0);
      std::uint64_t least = 0;  // the first budget that one source fits
      for (std::uint64_t budget = 4; least == 0; budget += 4) {
        needs.budget_bytes = budget;
        try {
          plan_gsofa(needs, options);
          least = budget;
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), "gsofa_budget");
          EXPECT_EQ(error.outcome(), Outcome::oom_device);
          EXPECT_THAT(error.what(), HasSubstr("--gsofa-budget"));
          EXPECT_THAT(error.what(), HasSubstr("--device-memory-limit"));
        }
      }
      Offset before = 0;
      for (std::uint64_t budget = least; budget < 100 * least; budget = budget * 3 / 2 + 3) {
        needs.budget_bytes = budget;
        const GsofaPlan plan = plan_gsofa(needs, options);
        Offset rows = 0;
        for (const GsofaBatch& batch : plan.batches) {
          expect_sound(plan, batch, needs, options);
          rows += batch.slots;
        }
        EXPECT_EQ(rows, n);
        EXPECT_GE(plan.most_sources, before);
        before = plan.most_sources;
      }
    }
  }
}

TEST(GsofaDivision, SeveralDevicesAndNodes) {
  Random random(23);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<GsofaOptions> spaces = all_spaces();
    GsofaOptions options = spaces[at(uniform(random, 0, static_cast<Index>(spaces.size()) - 1))];
    GsofaNeeds needs = needs_of(uniform(random, 1, 900), 0);
    needs.rows.chunk_size = uniform(random, 1, 200);
    needs.rows.stride = uniform(random, 1, 4);
    needs.rows.first_chunk = uniform(random, 0, needs.rows.stride - 1);
    needs.devices = uniform(random, 1, 6);
    needs.budget_bytes = 50000 + static_cast<std::uint64_t>(uniform(random, 0, 20000000));
    const GsofaPlan plan = plan_gsofa(needs, options);
    for (const GsofaBatch& batch : plan.batches) expect_sound(plan, batch, needs, options);
  }
}

TEST(GsofaDivision, LargeMatricesWithOneGigabyte) {
  // Hamrle3: 8 bytes a vertex of maxId and fill in `paper`, 4 and a bit in `merged`.
  GsofaOptions options;
  GsofaNeeds needs = needs_of(1447360, 1000000000);
  const GsofaPlan paper = plan_gsofa(needs, options);
  EXPECT_EQ(paper.bound, "memory");
  EXPECT_NEAR(static_cast<double>(paper.least_sources), 84, 3);
  EXPECT_GT(paper.most_sources, paper.least_sources);
  options.layout = GsofaLayout::merged;
  EXPECT_EQ(plan_gsofa(needs, options).least_sources, 128);  // 165 fit: one whole chunk
}

TEST(GsofaDivision, ForcedQueues) {
  GsofaOptions options;
  options.queue = 1;
  GsofaNeeds needs = needs_of(500, 1 << 20);
  const GsofaPlan plan = plan_gsofa(needs, options);
  EXPECT_EQ(plan.batches.front().division.queue_capacity, 1);
  EXPECT_EQ(plan.spill_entries, 500 * plan.most_sources);
  needs.most_spill_entries = 0;
  EXPECT_EQ(plan_gsofa(needs, options).spill_entries, 0);
}

// Plays the search's part on an array in memory: before every batch each word of maxId has to read
// as not reached, and each tag as older than its source, whatever the word was before.
TEST(GsofaDivision, WhatABatchTakesOverReadsAsUntouched) {
  Random random(24);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<GsofaOptions> spaces = all_spaces();
    GsofaOptions options = spaces[at(uniform(random, 0, static_cast<Index>(spaces.size()) - 1))];
    options.windows = uniform(random, 0, 3) > 0;
    const Index n = uniform(random, 1, 300);
    GsofaNeeds needs = needs_of(n, 0);
    needs.rows.chunk_size = uniform(random, 1, 40);
    needs.devices = uniform(random, 1, 3);
    needs.budget_bytes =
        static_cast<std::uint64_t>(n) * 24 * static_cast<std::uint64_t>(uniform(random, 1, 30)) +
        4 * static_cast<std::uint64_t>(gsofa_slot_words(n, options.layout).stride - n + 16);
    needs.window_top = static_cast<MaxIdWord>(n * uniform(random, 1, 5) + uniform(random, 0, n));
    const GsofaPlan plan = plan_gsofa(needs, options);
    const Index device = uniform(random, 0, needs.devices - 1);
    constexpr MaxIdWord untouched = 0;  // tags are row + 1
    std::vector<MaxIdWord> array(at(plan.array_words), 12345);
    for (const GsofaBatch& batch : plan.batches) {
      const GsofaDivision& division = batch.division;
      for (Offset w = batch.fresh_max_id.begin; w < batch.fresh_max_id.end; ++w) {
        array[at(w)] = needs.window_top;
      }
      for (Index s = batch.fresh_fill_begin; s < batch.fresh_fill_end; ++s) {
        std::fill_n(array.begin() + division.fill_begin(s), division.fill_stride, untouched);
      }
      const GsofaSlots slots = plan.slots(batch, device);
      for (Offset w = 0; w < slots.max_id_begin(slots.count); ++w) {
        ASSERT_FALSE(batch.window.reached(array[at(w)]));
        const Index value = uniform(random, 0, n - 1);
        array[at(w)] = batch.window.encode(value);
        ASSERT_TRUE(batch.window.reached(array[at(w)]));
        ASSERT_EQ(batch.window.decode(array[at(w)]), value);
      }
      for (Index s = 0; s < slots.count; ++s) {
        const MaxIdWord tag = static_cast<MaxIdWord>(slots.row(s)) + 1;
        const Offset fill_words = gsofa_slot_words(n, options.layout).put_off;
        if (options.layout == GsofaLayout::merged) {  // the search clears bits itself
          std::fill_n(array.begin() + division.fill_begin(s), fill_words, untouched);
        }
        for (Offset w = 0; w < fill_words; ++w) {
          MaxIdWord& word = array[at(division.fill_begin(s) + w)];
          ASSERT_LT(word, tag);
          if (uniform(random, 0, 1) > 0) word = tag;
        }
      }
      for (Offset w = 0; w < 4 * division.queue_capacity; ++w) {
        array[at(division.queue_begin + w)] = static_cast<MaxIdWord>(uniform(random, 0, n - 1));
      }
    }
  }
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
  EXPECT_NEAR(static_cast<double>(planner.plan().array_words), 0.69 * 25187 * 25187, 1e7);
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

TEST(GsofaWindows, ReinitialisationsAreCounted) {
  GsofaNeeds needs = needs_of(100, 1 << 20);
  needs.window_top = 350;  // three windows
  GsofaOptions options;
  options.concurrency = {Rule::fixed, 10};
  options.chunk_size = 10;
  needs.rows.chunk_size = 10;
  EXPECT_EQ(plan_gsofa(needs, options).reinitialisations, 3);  // before batches 3, 6 and 9
  options.windows = false;
  EXPECT_EQ(plan_gsofa(needs, options).reinitialisations, 9);
}

}  // namespace
}  // namespace lufact::gpu
