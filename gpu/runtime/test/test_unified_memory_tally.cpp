// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "gpu/runtime/unified_memory_tally.hpp"

namespace lufact::gpu {
namespace {

TEST(UnifiedMemoryTally, NothingSeenIsZeroNotUnknown) {
  const UnifiedMemoryRecord record = UnifiedMemoryTally().record();
  EXPECT_EQ(record.gpu_page_fault_groups, 0u);
  EXPECT_EQ(record.gpu_page_fault_records, 0u);
  EXPECT_EQ(record.fault_service_s, 0.0);
  EXPECT_EQ(record.bytes_htod, 0u);
  EXPECT_EQ(record.bytes_dtoh, 0u);
  EXPECT_FALSE(record.unavailable_reason);
}

TEST(UnifiedMemoryTally, CountsRecordsAndTheGroupsInThem) {
  UnifiedMemoryTally tally;
  tally.add_fault(3, 100, 200);
  tally.add_fault(1, 300, 400);
  EXPECT_EQ(tally.record().gpu_page_fault_groups, 4u);
  EXPECT_EQ(tally.record().gpu_page_fault_records, 2u);
}

TEST(UnifiedMemoryTally, FaultsServedSideBySideCountOnce) {
  UnifiedMemoryTally tally;
  tally.add_fault(1, 4'000, 5'000);  // in no order
  tally.add_fault(1, 1'000, 3'000);
  tally.add_fault(1, 2'000, 2'500);  // inside
  tally.add_fault(1, 2'900, 3'500);  // overlaps
  EXPECT_DOUBLE_EQ(*tally.record().fault_service_s, 3.5e-6);
}

TEST(UnifiedMemoryTally, AnIntervalThatEndsBeforeItBeginsTakesNoTime) {
  UnifiedMemoryTally tally;
  tally.add_fault(1, 5'000, 0);
  EXPECT_EQ(*tally.record().fault_service_s, 0.0);
}

TEST(UnifiedMemoryTally, BytesAreKeptByDirectionAndCause) {
  UnifiedMemoryTally tally;
  tally.add_migration(true, "prefetch", 4096);
  tally.add_migration(true, "prefetch", 4096);
  tally.add_migration(true, "coherence", 100);
  tally.add_migration(false, "eviction", 7);
  const UnifiedMemoryRecord record = tally.record();
  EXPECT_EQ(record.bytes_htod, 8292u);
  EXPECT_EQ(record.bytes_dtoh, 7u);
  EXPECT_EQ(record.bytes_htod_by_cause.at("prefetch"), 8192u);
  EXPECT_EQ(record.bytes_dtoh_by_cause.at("eviction"), 7u);
}

}  // namespace
}  // namespace lufact::gpu
