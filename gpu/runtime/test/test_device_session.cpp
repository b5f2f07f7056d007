// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include "core/base/error.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/managed.hpp"
#include "gpu/runtime/test/control_kernel.hpp"

namespace lufact::gpu {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t mib = 1ULL << 20;

class Session : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

std::uint64_t free_on_card() {
  std::size_t free_bytes = 0, total = 0;
  LUFACT_CUDA(cudaMemGetInfo(&free_bytes, &total));
  return free_bytes;
}

// Runs without a device too: a machine says either what it has or what is missing.
TEST(DeviceQuery, GivesFactsOrAReason) {
  std::string reason = "unset";
  const auto facts = query_device(0, reason);
  EXPECT_EQ(facts.has_value(), reason.empty());
  EXPECT_NE(std::getenv("CUDA_MODULE_LOADING"), nullptr);
}

TEST(DeviceQuery, ADeviceThatIsNotThereHasAReason) {
  std::string reason;
  EXPECT_FALSE(query_device(4096, reason).has_value());
  EXPECT_FALSE(reason.empty());
  EXPECT_FALSE(query_device(-1, reason).has_value());
  EXPECT_FALSE(reason.empty());
}

TEST(DeviceQuery, ASessionOnADeviceThatIsNotThereIsUnsupported) {
  try {
    DeviceSession session({4096, std::nullopt});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::unsupported);
    EXPECT_EQ(error.code(), "no_device");
  }
}

TEST_F(Session, FactsOfTheDeviceAreComplete) {
  std::string reason;
  const auto facts = query_device(0, reason);
  ASSERT_TRUE(facts.has_value()) << reason;
  EXPECT_FALSE(facts->name.empty());
  EXPECT_EQ(facts->uuid.size(), 40u);
  EXPECT_THAT(facts->compute_capability, HasSubstr("."));
  EXPECT_FALSE(facts->driver.empty());
  EXPECT_FALSE(facts->runtime.empty());
  EXPECT_GT(facts->sm_count, 0);
  EXPECT_GT(facts->free_bytes, 0u);
  EXPECT_LE(facts->free_bytes, facts->memory_bytes);
}

TEST_F(Session, TheBudgetIsTheLimitOrWhatIsFree) {
  EXPECT_EQ(DeviceSession({0, 64 * mib}).ledger().budget(), 64 * mib);
  const std::uint64_t unlimited = DeviceSession({0, std::nullopt}).ledger().budget();
  EXPECT_GT(unlimited, 0u);
  EXPECT_LE(unlimited, free_on_card());
  const std::uint64_t more_than_any_card = 1ULL << 60;
  EXPECT_LE(DeviceSession({0, more_than_any_card}).ledger().budget(), free_on_card());
}

TEST_F(Session, SanitizeArraysGoToTheDeviceAndBack) {
  DeviceSession session({0, 64 * mib});
  std::vector<int> values(1000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<int>(k * k);
  const auto buffer = upload_copy<int>(session, MemoryRole::scratch, values, "squares");
  EXPECT_EQ(buffer.download(), values);
  EXPECT_EQ(read_value(session, buffer.data() + 31), 961);
  EXPECT_EQ(session.counters().bytes_h2d, 4000u);
  EXPECT_EQ(session.counters().bytes_d2h, 4000u);
  EXPECT_EQ(session.counters().control_reads, 1u);
}

// Sizes around those of what copies are cut into; short ones share a stage with their neighbours.
TEST_F(Session, SanitizeArraysOfEverySizeComeBackAsTheyWent) {
  DeviceSession session({0, 64 * mib});
  constexpr auto stage = static_cast<Offset>(StagedCopies::stage_bytes);
  constexpr auto ring = static_cast<Offset>(StagedCopies::pinned_bytes);
  std::vector<Buffer<unsigned char>> arrays;
  std::vector<std::vector<unsigned char>> expected;
  for (const Offset size :
       {Offset{1}, Offset{255}, Offset{256}, Offset{257}, Offset{65535}, Offset{65537},
        stage / 2 - 1, stage / 2, stage - 1, stage, stage + 1, Offset{7}, ring - 256, ring,
        ring + 1, 2 * ring + 3, Offset{100}, stage / 4}) {
    std::vector<unsigned char> values(static_cast<std::size_t>(size));
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<unsigned char>(k * 31 + k / 251 + expected.size());
    }
    expected.push_back(values);
    arrays.push_back(upload_copy<unsigned char>(session, MemoryRole::scratch, values, "bytes"));
    std::fill(values.begin(), values.end(), 0);  // the copy does not look at them any more
  }
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    EXPECT_TRUE(arrays[k].download() == expected[k]) << expected[k].size() << " bytes";
    // Uploads that follow a download start in stages that it has used.
    std::reverse(expected[k].begin(), expected[k].end());
    arrays[k].upload(expected[k]);
  }
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    EXPECT_TRUE(arrays[k].download() == expected[k]) << expected[k].size() << " bytes again";
  }
}

bool is_page_locked(const void* pointer) {
  cudaPointerAttributes attributes{};
  LUFACT_CUDA(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type == cudaMemoryTypeHost;
}

TEST_F(Session, SanitizePageLockedArraysAreCopiedAsTheyAre) {
  DeviceSession session({0, 64 * mib});
  const PageLockedMemory memory = [](std::size_t bytes) { return page_locked_memory(0, bytes); };
  const std::uint64_t pinned = session.ledger().report().pinned_peak_bytes;
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 19}) {
    HostArray from(size, memory), to(size, memory);
    ASSERT_TRUE(from.page_locked() && to.page_locked());
    EXPECT_TRUE(is_page_locked(from.entries().data()));
    std::iota(from.entries().begin(), from.entries().end(), 1.0);
    Buffer<double> buffer(session, MemoryRole::scratch, static_cast<Offset>(size), "numbers");
    const TransferCounters before = session.counters();
    session.copy_to_device(buffer.data(), from.const_span());
    session.copy_to_host(to.span(), buffer.data());
    session.synchronize();
    EXPECT_TRUE(std::ranges::equal(from.entries(), to.entries()));
    EXPECT_EQ(session.counters().bytes_h2d - before.bytes_h2d, size * sizeof(double));
    EXPECT_EQ(session.counters().bytes_d2h - before.bytes_d2h, size * sizeof(double));
  }
  EXPECT_EQ(session.ledger().report().pinned_peak_bytes, pinned);  // it is the caller's memory
}

TEST_F(Session, PageLockedMemoryIsFreedWithItsLastOwner) {
  const DeviceSession session({0, 64 * mib});
  std::shared_ptr<void> memory = page_locked_memory(0, 5 * mib);
  const void* const pointer = memory.get();
  ASSERT_NE(pointer, nullptr);
  std::shared_ptr<void> other = memory;
  memory.reset();
  EXPECT_TRUE(is_page_locked(pointer));
  other.reset();
  EXPECT_FALSE(is_page_locked(pointer));
}

// More than any machine has: there is none, and no error stays behind.
TEST_F(Session, PageLockedMemoryThatIsNotThereIsNull) {
  const DeviceSession session({0, 64 * mib});
  EXPECT_EQ(page_locked_memory(0, std::size_t{1} << 60), nullptr);
  EXPECT_EQ(page_locked_memory(4096, 8), nullptr);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(Session, KernelsReachPageLockedArraysOfTheHostAlone) {
  DeviceSession session({0, 64 * mib});
  std::vector<double> pageable(10);
  HostArray locked(10, [](std::size_t bytes) { return page_locked_memory(0, bytes); });
  EXPECT_EQ(session.read_in_place(locked.const_span()), locked.entries().data());
  EXPECT_EQ(session.write_in_place(locked.span()), locked.entries().data());
  EXPECT_EQ(session.counters().bytes_h2d, 80u);
  EXPECT_EQ(session.counters().bytes_d2h, 80u);
  EXPECT_THROW(session.read_in_place(pageable), std::logic_error);
  EXPECT_THROW(session.write_in_place(pageable), std::logic_error);
}

TEST_F(Session, SanitizeControlReadsAreLimitedTo64Bytes) {
  DeviceSession session({0, 64 * mib});
  Buffer<char> buffer(session, MemoryRole::scratch, 128, "bytes");
  buffer.fill_bytes(7);
  char host[128] = {};
  EXPECT_THROW(session.read_control(host, buffer.data(), 65), std::logic_error);
  session.read_control(host, buffer.data(), 64);
  EXPECT_EQ(host[63], 7);
  EXPECT_THROW(session.take_control(host, 65), std::logic_error);
}

TEST_F(Session, SanitizeKernelsPutControlValuesToTheHostThemselves) {
  DeviceSession session({0, 64 * mib});
  using testing_support::ControlValue;
  for (const double first : {1.0, 100.0}) {
    testing_support::launch_control_kernel(session, first, control_place<ControlValue>(session));
    EXPECT_EQ(take_value<ControlValue>(session).numbers[7], first + 7);
  }
  EXPECT_EQ(session.counters().control_reads, 2u);
  EXPECT_EQ(session.counters().bytes_d2h, 0u);
}

TEST_F(Session, SanitizeWaitsOnlyForWhatHasBeenPutOnTheStream) {
  DeviceSession session({0, 64 * mib});
  using testing_support::ControlValue;
  session.synchronize();
  const std::uint64_t before = session.waits();
  session.synchronize();
  EXPECT_EQ(session.waits(), before);
  testing_support::launch_control_kernel(session, 2, control_place<ControlValue>(session));
  session.synchronize();
  EXPECT_EQ(session.waits(), before + 1);
  EXPECT_EQ(take_value<ControlValue>(session).numbers[7], 9);
  EXPECT_EQ(session.waits(), before + 1);
}

TEST_F(Session, SanitizeEmptyBuffersTakeNothing) {
  DeviceSession session({0, 64 * mib});
  Buffer<double> buffer(session, MemoryRole::resident, 0, "nothing");
  buffer.fill_bytes(0);
  buffer.upload({});
  EXPECT_TRUE(buffer.download().empty());
  EXPECT_EQ(session.ledger().in_use(), 0u);
}

TEST_F(Session, SanitizeMovedBuffersAreChargedOnce) {
  DeviceSession session({0, 64 * mib});
  Buffer<char> first(session, MemoryRole::scratch, 1000, "a");
  Buffer<char> second = std::move(first);
  first = Buffer<char>(session, MemoryRole::resident, 500, "b");
  EXPECT_EQ(session.ledger().in_use(), 1500u);
  second = std::move(first);
  EXPECT_EQ(session.ledger().in_use(), 500u);
  second = Buffer<char>();
  EXPECT_EQ(session.ledger().in_use(), 0u);
}

TEST_F(Session, TheLedgerAgreesWithTheDriver) {
  constexpr std::uint64_t limit = 1024 * mib;
  constexpr std::uint64_t reserve = limit / 64;  // what the session has from the start
  constexpr std::uint64_t step = 32 * mib;       // by which the pool of CUDA grows
  DeviceSession session({0, limit});
  const std::uint64_t before = free_on_card();
  std::vector<Buffer<char>> buffers;
  for (const std::uint64_t size : {1 * mib, 32 * mib, 33 * mib + 5, 200 * mib}) {
    buffers.emplace_back(session, MemoryRole::resident, static_cast<Offset>(size), "a block");
    const std::uint64_t taken = before - free_on_card();
    EXPECT_GE(taken + reserve + step, session.ledger().in_use());
    EXPECT_LE(taken, session.ledger().in_use() + step * buffers.size());
  }
  const std::uint64_t full = before - free_on_card();
  buffers.clear();
  EXPECT_EQ(session.ledger().in_use(), 0u);
  EXPECT_EQ(before - free_on_card(), full);  // it is kept for the next
  session.return_memory();
  EXPECT_LE(before - std::min(before, free_on_card()), step);
}

TEST_F(Session, SanitizeAnAllocationBeyondTheBudgetLeavesNoCharge) {
  DeviceSession session({0, mib});
  EXPECT_THROW(Buffer<char>(session, MemoryRole::scratch, 2 << 20, "too much"), Error);
  EXPECT_EQ(session.ledger().in_use(), 0u);
  const Buffer<char> fits(session, MemoryRole::scratch, 1 << 20, "all");
  EXPECT_EQ(session.ledger().available(), 0u);
}

TEST_F(Session, SanitizeManagedArraysMoveBetweenHostAndDeviceWithTheirContents) {
  DeviceSession session({0, mib});
  EXPECT_EQ(session.limit_managed({.bytes = 64 * mib}), 64 * mib);
  constexpr Offset count = 1000000;
  Buffer<int> buffer(session, MemoryRole::scratch, count, "managed integers", MemoryKind::managed);
  EXPECT_EQ(session.ledger().in_use(), 0u);
  EXPECT_EQ(session.ledger().managed(), buffer.bytes());
  touch_on_host(buffer.data(), buffer.bytes());
  prefer_device(session, buffer.data(), buffer.bytes());
  prefetch_to_device(session, buffer.data(), buffer.bytes());
  buffer.fill_bytes(7);
  prefetch_to_host(session, buffer.data(), buffer.bytes());
  session.synchronize();
  EXPECT_EQ(buffer.data()[0], 0x07070707);
  EXPECT_EQ(buffer.data()[count - 1], 0x07070707);
  prefetch_to_device(session, buffer.data(), buffer.bytes());
  EXPECT_EQ(read_value(session, buffer.data() + count / 2), 0x07070707);
  buffer = {};
  EXPECT_EQ(session.ledger().managed(), 0u);
  EXPECT_EQ(session.ledger().report().managed_peak_bytes, count * sizeof(int));
}

TEST_F(Session, ManagedMemoryIsLimitedToAShareOfTheCardUnlessToldOtherwise) {
  DeviceSession session({0, mib});
  const std::uint64_t limit = session.limit_managed({});
  EXPECT_LT(limit, free_on_card());
  EXPECT_GT(limit, free_on_card() / 4 * 3);
  // No such memory is asked for: the ledger refuses first.
  session.limit_managed({.bytes = 1ULL << 60});
  try {
    Buffer<char>(session, MemoryRole::scratch, Offset{1} << 59, "more than any card",
                 MemoryKind::managed);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "managed_over_free");
  }
  EXPECT_EQ(session.ledger().managed(), 0u);
}

// Two sessions were promised the same free memory; the second to ask finds the card full.
TEST_F(Session, AnAllocationThatTheCardRefusesLeavesNoChargeAndNoError) {
  DeviceSession first({0, std::nullopt});
  DeviceSession second({0, std::nullopt});
  const auto most = static_cast<Offset>(second.ledger().budget() / 10 * 7);
  const Buffer<char> held(first, MemoryRole::scratch, most, "most of the card");
  try {
    Buffer<char>(second, MemoryRole::scratch, most, "the same again");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), "cuda_out_of_memory");
    EXPECT_THAT(error.what(), HasSubstr("the same again"));
  }
  EXPECT_EQ(second.ledger().in_use(), 0u);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  const Buffer<char> small(second, MemoryRole::scratch, 1000, "a little");
  EXPECT_EQ(second.ledger().in_use(), 1000u);
}

TEST_F(Session, MarksMeasureTheTimeBetweenThem) {
  DeviceSession session({0, std::nullopt});
  DeviceProbe& probe = session.probe();
  Buffer<char> buffer(session, MemoryRole::scratch, 512 << 20, "half a gibibyte");
  const DeviceProbe::Mark begin = probe.mark();
  buffer.fill_bytes(1);
  const DeviceProbe::Mark middle = probe.mark();
  buffer.fill_bytes(2);
  const DeviceProbe::Mark end = probe.mark();
  probe.synchronize();
  EXPECT_GT(probe.seconds_between(begin, middle), 0.0);
  EXPECT_GT(probe.seconds_between(begin, end), probe.seconds_between(begin, middle));
  EXPECT_EQ(probe.interval_peak_bytes(), buffer.bytes());
  probe.release_marks();
  EXPECT_EQ(probe.mark(), begin);
}

}  // namespace
}  // namespace lufact::gpu
