// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "core/distribution/gsofa_schedule.hpp"
#include "gpu/gsofa/gsofa_plan.hpp"
#include "gpu/gsofa/gsofa_windows.hpp"
#include "gpu/gsofa/gsofa_work_bytes.hpp"

namespace lufact::gpu {
namespace {

Index uniform(std::mt19937& random, Index least, Index most) {
  return std::uniform_int_distribution<Index>(least, most)(random);
}

TEST(GsofaSchedule, ChunksOfARow) {
  const GsofaRows rows{.n = 300, .chunk_size = 128};
  EXPECT_EQ(rows.chunks(), 3);
  EXPECT_EQ(rows.chunk_begin(127), 0);
  EXPECT_EQ(rows.chunk_begin(128), 128);
  EXPECT_EQ(rows.chunk_end(128), 256);
  EXPECT_EQ(rows.chunk_end(299), 300);
  EXPECT_EQ(gsofa_row_bytes(rows), 300U * 20);
}

TEST(GsofaSchedule, SummitNodeOfThePaper) {
  // Section 5: pre2, 6,144 sources saturate six GPUs, 48 chunks of 128.
  EXPECT_EQ(whole_chunk_sources(1024, 128, 6), 1024);
  EXPECT_EQ(1024 * 6 / 128, 48);
}

TEST(GsofaSchedule, TriangleHoldsEveryRowAndIsExactOnOneNode) {
  std::mt19937 random(22);
  for (int trial = 0; trial < 200; ++trial) {
    GsofaSlots slots;
    slots.rows = {uniform(random, 2000, 4000), uniform(random, 1, 200), uniform(random, 1, 4), 0};
    slots.rows.first_chunk = uniform(random, 0, slots.rows.stride - 1);
    slots.first = uniform(random, 0, 100);
    slots.step = uniform(random, 1, 6);
    slots.count = uniform(random, 1, 50);
    slots.bubbles = true;
    EXPECT_EQ(slots.max_id_begin(0), 0);
    for (Index s = 0; s < slots.count; ++s) {
      const Offset words = slots.max_id_begin(s + 1) - slots.max_id_begin(s);
      EXPECT_GE(words, slots.row(s));
      if (slots.rows.stride == 1) {
        EXPECT_EQ(words, slots.row(s));
      }
    }
  }
  // 64-bit: 4096 sources near row 2^30.
  GsofaSlots slots{{.n = 1 << 30}, (1 << 30) - 4096, 1, 4096, true};
  EXPECT_EQ(slots.max_id_begin(4096), Offset{4096} * ((1 << 30) - 4096) + 4096 * 4095 / 2);
}

// Every row of the matrix is at one place of one device; a device's rows ascend; no chunk leaves
// its node, nor with whole chunks its device.
TEST(GsofaSchedule, SharesDivideTheRows) {
  std::mt19937 random(25);
  for (int trial = 0; trial < 400; ++trial) {
    GsofaOptions options;
    options.chunk_size = uniform(random, 1, 40);
    options.inter = trial % 2 == 0 ? GsofaInter::interleave : GsofaInter::block;
    options.intra = trial / 2 % 2 == 0 ? GsofaIntra::rows : GsofaIntra::chunks;
    const GsofaMachine machine{uniform(random, 1, 5), uniform(random, 1, 6)};
    const Index n = uniform(random, 0, 700);
    std::vector<Index> node_of(at(n), -1), device_of(at(n), -1);
    for (Index node = 0; node < machine.nodes; ++node) {
      const GsofaRows rows = gsofa_node_rows(n, options, machine, node);
      for (Offset p = 0; p < rows.positions(); ++p) {
        ASSERT_EQ(rows.position(static_cast<Index>(rows.row(p))), p);
      }
      Offset found = 0;
      for (Index device = 0; device < machine.devices; ++device) {
        const GsofaShare share = gsofa_share(n, options, machine, node, device);
        for (Offset place = 0; place < share.count(); ++place, ++found) {
          const Index row = share.row(place);
          ASSERT_TRUE(row >= 0 && row < n);
          ASSERT_EQ(node_of[at(row)], -1);
          node_of[at(row)] = node;
          device_of[at(row)] = device;
          if (place > 0) {
            ASSERT_GT(row, share.row(place - 1));
          }
        }
      }
      ASSERT_EQ(found, rows.positions());
    }
    for (Index row = 0; row < n; ++row) {
      ASSERT_NE(node_of[at(row)], -1);
      const Index first = row - row % options.chunk_size;
      ASSERT_EQ(node_of[at(row)], node_of[at(first)]);
      if (options.intra == GsofaIntra::chunks) {
        ASSERT_EQ(device_of[at(row)], device_of[at(first)]);
      }
    }
  }
}

// The batches of a plan name the same rows at the same places as the share.
TEST(GsofaSchedule, PlansSearchTheRowsOfAShareInItsOrder) {
  std::mt19937 random(26);
  for (int trial = 0; trial < 100; ++trial) {
    GsofaOptions options;
    options.chunk_size = uniform(random, 1, 40);
    options.intra = trial % 2 == 0 ? GsofaIntra::rows : GsofaIntra::chunks;
    options.concurrency = {GsofaConcurrencyOption::Rule::fixed, uniform(random, 1, 90)};
    const GsofaMachine machine{uniform(random, 1, 3), uniform(random, 1, 4)};
    const GsofaShare share =
        gsofa_share(uniform(random, 1, 500), options, machine, machine.nodes - 1,
                    uniform(random, 0, machine.devices - 1));
    GsofaNeeds needs;
    needs.rows = share.rows;
    needs.devices = share.devices;
    needs.budget_bytes = 1 << 24;
    const GsofaPlan plan = plan_gsofa(needs, options);
    Offset place = 0;
    for (const GsofaBatch& batch : plan.batches) {
      const GsofaSlots slots = plan.slots(batch, share.device);
      if (slots.count > 0) {
        ASSERT_EQ(batch.first / share.devices, place);
      }
      for (Index slot = 0; slot < slots.count; ++slot, ++place) {
        ASSERT_EQ(slots.row(slot), share.row(place));
      }
    }
    ASSERT_EQ(place, share.count());
  }
}

TEST(GsofaWorkBytes, AreThoseOfThePlan) {
  for (const Index n : {1, 2, 3, 5, 99, 100, 129, 5000}) {
    GsofaNeeds needs;
    needs.rows.n = n;
    const WorkBytes bytes = gsofa_work_bytes(n);
    needs.budget_bytes = bytes.least - gsofa_row_bytes(needs.rows);
    EXPECT_GE(plan_gsofa(needs, {}).least_sources, 1);
    EXPECT_TRUE(GsofaPlanner(needs, {}).next({}));
    GsofaOptions options;
    options.concurrency = {GsofaConcurrencyOption::Rule::fixed, n};
    needs.budget_bytes = bytes.all_rows + 64 - gsofa_row_bytes(needs.rows);
    EXPECT_EQ(plan_gsofa(needs, options).batches.size(), 1U);
  }
  EXPECT_GT(gsofa_work_bytes(1 << 30).all_rows, std::uint64_t{1} << 62);
}

TEST(GsofaWindows, CountAndEnds) {
  const GsofaWindows windows{659033};
  EXPECT_EQ(windows.count(), 6517);  // floor((2^32 - 1) / n)
  const GsofaWindow first = windows.window(0), second = windows.window(1);
  EXPECT_FALSE(first.reached(windows.top));
  EXPECT_FALSE(second.reached(first.encode(0)));
  EXPECT_TRUE(second.reached(second.encode(659032)));
  EXPECT_GE(windows.window(windows.count() - 1).bottom, 0U);
  EXPECT_LT(windows.window(windows.count() - 1).bottom, 659033U);
}

}  // namespace
}  // namespace lufact::gpu
