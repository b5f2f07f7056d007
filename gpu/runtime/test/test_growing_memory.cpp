// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/base/error.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/growing_memory.hpp"

namespace lufact::gpu {
namespace {

constexpr std::uint64_t mib = 1ULL << 20;

class Growing : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

TEST_F(Growing, KeepsItsContentsAndPlace) {
  DeviceSession session({});
  auto memory = std::make_shared<GrowingMemory>(session, MemoryRole::resident, 256 * mib, "test");
  EXPECT_EQ(session.ledger().in_use(), 0u);
  memory->grow(4000);
  void* const place = memory->data();
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 7);
  session.copy_to_device(place, numbers.data(), 4000);
  for (std::uint64_t bytes = 4000; bytes < 200 * mib; bytes += bytes / 2) {
    memory->grow(bytes);
    EXPECT_GE(memory->bytes(), bytes);
    EXPECT_LE(memory->bytes(), bytes + bytes / 5 + 2 * mib);
    EXPECT_EQ(session.ledger().resident(), memory->bytes());
  }
  EXPECT_EQ(memory->data(), place);
  const Buffer<int> buffer(session, memory, static_cast<int*>(place), 1000);
  memory.reset();
  EXPECT_GT(session.ledger().in_use(), 0u);
  EXPECT_EQ(buffer.download(), numbers);
}

TEST_F(Growing, GivesAllBack) {
  DeviceSession session({});
  { GrowingMemory(session, MemoryRole::scratch, 64 * mib, "test").grow(30 * mib); }
  EXPECT_EQ(session.ledger().in_use(), 0u);
}

TEST_F(Growing, KeepsToTheBudget) {
  DeviceSession session({0, 16 * mib});
  GrowingMemory memory(session, MemoryRole::resident, 64 * mib, "test");
  memory.grow(15 * mib);  // no slack where there is no room for it
  EXPECT_LE(memory.bytes(), 16 * mib);
  try {
    memory.grow(17 * mib);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_EQ(error.code(), "device_budget");
  }
  EXPECT_LE(session.ledger().in_use(), 16 * mib);
}

}  // namespace
}  // namespace lufact::gpu
