// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "core/base/error.hpp"
#include "gpu/runtime/memory.hpp"

namespace lufact::gpu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto device = MemoryKind::device;
constexpr auto pinned = MemoryKind::pinned;
constexpr auto resident = MemoryRole::resident;
constexpr auto scratch = MemoryRole::scratch;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), "device_budget");
    return error.what();
  }
  return "no error";
}

TEST(MemoryLedger, CountsByRoleAndKeepsPeaks) {
  MemoryLedger ledger(1000);
  ledger.charge(device, resident, 300, "a");
  ledger.charge(device, scratch, 500, "b");
  EXPECT_EQ(ledger.in_use(), 800u);
  EXPECT_EQ(ledger.resident(), 300u);
  EXPECT_EQ(ledger.available(), 200u);
  ledger.release(device, scratch, 500);
  ledger.charge(device, resident, 100, "c");
  const DeviceMemoryReport report = ledger.report();
  EXPECT_EQ(report.budget_bytes, 1000u);
  EXPECT_EQ(report.in_use_bytes, 400u);
  EXPECT_EQ(report.peak_bytes, 800u);
  EXPECT_EQ(report.resident_peak_bytes, 400u);
  EXPECT_EQ(report.scratch_peak_bytes, 500u);
}

TEST(MemoryLedger, ABudgetCanBeUsedToTheLastByteAndNoFurther) {
  MemoryLedger ledger(1000);
  ledger.charge(device, scratch, 1000, "all");
  EXPECT_EQ(ledger.available(), 0u);
  EXPECT_THROW(ledger.charge(device, scratch, 1, "more"), Error);
  EXPECT_EQ(ledger.in_use(), 1000u);
}

TEST(MemoryLedger, ARefusedChargeNamesWhatIsWantedHeldAndAllowedAndIsNotCounted) {
  MemoryLedger ledger(1000);
  ledger.charge(device, resident, 311, "a");
  ledger.charge(device, scratch, 222, "b");
  const std::string message =
      message_of([&] { ledger.charge(device, scratch, 489, "the work arrays"); });
  EXPECT_THAT(message,
              AllOf(HasSubstr("the work arrays"), HasSubstr("489"), HasSubstr("311"),
                    HasSubstr("222"), HasSubstr("1000"), HasSubstr("--device-memory-limit")));
  EXPECT_EQ(ledger.in_use(), 533u);
  EXPECT_EQ(ledger.report().peak_bytes, 533u);
}

TEST(MemoryLedger, HugeChargesDoNotWrapAround) {
  MemoryLedger ledger(1000);
  ledger.charge(device, resident, 10, "a");
  EXPECT_THROW(
      ledger.charge(device, scratch, std::numeric_limits<std::uint64_t>::max(), "everything"),
      Error);
  EXPECT_THROW(ledger.require_resident(std::numeric_limits<std::uint64_t>::max(), "everything"),
               Error);
}

TEST(MemoryLedger, RequireResidentNamesTheTotalAndIgnoresScratch) {
  MemoryLedger ledger(1000);
  ledger.charge(device, resident, 400, "a");
  ledger.charge(device, scratch, 600, "b");
  EXPECT_NO_THROW(ledger.require_resident(600, "the factors"));
  const std::string message = message_of([&] { ledger.require_resident(601, "the factors"); });
  EXPECT_THAT(message, AllOf(HasSubstr("the factors"), HasSubstr("1001"), HasSubstr("1000")));
}

TEST(MemoryLedger, PinnedMemoryIsCountedApartAndNotHeldToTheBudget) {
  MemoryLedger ledger(100);
  ledger.charge(pinned, resident, 5000, "a page");
  EXPECT_EQ(ledger.in_use(), 0u);
  EXPECT_EQ(ledger.report().pinned_peak_bytes, 5000u);
  ledger.release(pinned, resident, 5000);
  ledger.reset_peaks();
  EXPECT_EQ(ledger.report().pinned_peak_bytes, 0u);
}

constexpr auto managed = MemoryKind::managed;

std::string managed_message_of(MemoryLedger& ledger, MemoryKind kind, std::uint64_t bytes,
                               const std::string& code) {
  try {
    ledger.charge(kind, scratch, bytes, "the work arrays");
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

TEST(MemoryLedger, PinnedMemoryIsHeldToTheLimitOfTheHost) {
  MemoryLedger ledger(100, 1000);
  ledger.charge(MemoryKind::pinned, MemoryRole::resident, 600, "the factors");
  try {
    ledger.charge(MemoryKind::pinned, MemoryRole::resident, 401, "more factors");
    ADD_FAILURE() << "a charge beyond the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_host);
    EXPECT_EQ(error.code(), "host_memory_limit");
    EXPECT_THAT(error.what(), testing::HasSubstr("more factors wants"));
    EXPECT_THAT(error.what(), testing::HasSubstr("401 bytes"));
    EXPECT_THAT(error.what(), testing::HasSubstr("raise --host-memory-limit"));
  }
  ledger.charge(MemoryKind::pinned, MemoryRole::resident, 400, "the rest");
  ledger.release(MemoryKind::pinned, MemoryRole::resident, 600);
  ledger.charge(MemoryKind::pinned, MemoryRole::resident, 600, "again");
}

TEST(MemoryLedger, ManagedMemoryIsHeldToItsOwnLimitAndNotToTheBudget) {
  MemoryLedger ledger(100);
  ledger.limit_managed({5000, 9000, false});
  ledger.charge(managed, scratch, 4000, "arrays");
  EXPECT_EQ(ledger.in_use(), 0u);
  EXPECT_EQ(ledger.available(), 100u);
  EXPECT_EQ(ledger.managed(), 4000u);
  const std::string message = managed_message_of(ledger, managed, 1001, "managed_limit");
  EXPECT_THAT(message, AllOf(HasSubstr("1001"), HasSubstr("4000"), HasSubstr("5000"),
                             HasSubstr("--um-bytes")));
  ledger.release(managed, scratch, 4000);
  EXPECT_EQ(ledger.managed(), 0u);
  EXPECT_EQ(ledger.report().managed_peak_bytes, 4000u);
  EXPECT_EQ(ledger.report().peak_bytes, 0u);
  ledger.reset_peaks();
  EXPECT_EQ(ledger.report().managed_peak_bytes, 0u);
}

TEST(MemoryLedger, ThereIsNoManagedMemoryWithoutALimit) {
  MemoryLedger ledger(100);
  managed_message_of(ledger, managed, 1, "managed_limit");
  EXPECT_EQ(ledger.managed(), 0u);
}

TEST(MemoryLedger, ManagedMemoryBeyondTheCardIsRefusedUnlessItIsAllowed) {
  MemoryLedger ledger(1000);
  ledger.charge(device, resident, 300, "a");
  ledger.limit_managed({9000, 600, false});
  EXPECT_THAT(managed_message_of(ledger, managed, 601, "managed_over_free"),
              AllOf(HasSubstr("601"), HasSubstr("300"), HasSubstr("900"),
                    HasSubstr("--um-allow-oversubscription")));
  EXPECT_NO_THROW(ledger.charge(managed, scratch, 600, "all that is free"));
  ledger.release(managed, scratch, 600);
  ledger.limit_managed({9000, 600, true});
  EXPECT_NO_THROW(ledger.charge(managed, scratch, 9000, "much more"));
}

TEST(MemoryLedger, DeviceMemoryBesideManagedMemoryMustFitTheCardToo) {
  MemoryLedger ledger(1000);
  ledger.limit_managed({800, 1000, false});
  ledger.charge(managed, scratch, 800, "arrays");
  managed_message_of(ledger, device, 201, "managed_over_free");
  ledger.charge(device, resident, 200, "the pattern");
  ledger.release(managed, scratch, 800);
  EXPECT_NO_THROW(ledger.charge(device, resident, 800, "what the budget leaves"));
}

TEST(MemoryLedger, ResetPeaksStartsFromWhatIsHeld) {
  MemoryLedger ledger(1000);
  ledger.charge(device, resident, 100, "a");
  ledger.charge(device, scratch, 700, "b");
  ledger.release(device, scratch, 700);
  ledger.reset_peaks();
  const DeviceMemoryReport report = ledger.report();
  EXPECT_EQ(report.peak_bytes, 100u);
  EXPECT_EQ(report.resident_peak_bytes, 100u);
  EXPECT_EQ(report.scratch_peak_bytes, 0u);
}

TEST(MemoryLedger, IntervalPeaksAreIndependentOfTheOthers) {
  MemoryLedger ledger(1000);
  ledger.charge(device, scratch, 900, "a");
  ledger.release(device, scratch, 900);
  ledger.reset_interval_peak();
  ledger.charge(device, scratch, 200, "b");
  EXPECT_EQ(ledger.interval_peak(), 200u);
  EXPECT_EQ(ledger.report().peak_bytes, 900u);
}

}  // namespace
}  // namespace lufact::gpu
