// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/base/error.hpp"
#include "gpu/gsofa/gsofa_plan.hpp"
#include "gpu/gsofa/gsofa_sizes.hpp"
#include "gpu/gsofa/test/plan_cases.hpp"

namespace lufact::gpu {
namespace {

using ::testing::HasSubstr;
using Rule = GsofaConcurrencyOption::Rule;
using namespace test;

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

TEST(GsofaDivision, RowsEndWhereBitsOfAVertexWouldNot) {
  EXPECT_NO_THROW(require_gsofa_rows((1 << 30) - 1));
  try {
    require_gsofa_rows(1 << 30);
    FAIL() << "2^30 rows were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_EQ(error.code(), "matrix_too_large");
    EXPECT_THAT(error.what(), HasSubstr("fewer than 1073741824 rows, not 1073741824"));
  }
}

TEST(GsofaDivision, ForcedQueues) {
  GsofaOptions options;
  options.queue = 1;
  GsofaNeeds needs = needs_of(500, 1 << 20);
  const GsofaPlan plan = plan_gsofa(needs, options);
  EXPECT_EQ(plan.batches.front().division.queue_capacity, 1);
  EXPECT_EQ(plan.spill_entries, std::min<Offset>(1 << 16, 500 * plan.most_sources));
  needs.most_spill_entries = Offset{1} << 30;
  EXPECT_EQ(plan_gsofa(needs, options).spill_entries, 500 * plan.most_sources);
  needs.most_spill_entries = 0;
  EXPECT_EQ(plan_gsofa(needs, options).spill_entries, 0);
}

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
        4 * static_cast<std::uint64_t>(gsofa_slot_words(n, options.layout).stride + 16);
    needs.window_top = static_cast<MaxIdWord>(n * uniform(random, 1, 5) + uniform(random, 0, n));
    const GsofaPlan plan = plan_gsofa(needs, options);
    const Index device = uniform(random, 0, needs.devices - 1);
    PlayedArray array(needs, options, plan.array_words, random);
    for (const GsofaBatch& batch : plan.batches) {
      array.play(batch, plan.slots(batch, device));
      if (HasFatalFailure()) return;
    }
  }
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
