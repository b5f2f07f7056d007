// SPDX-License-Identifier: BSD-3-Clause
// Sessions that work side by side; two on one device stand for two devices.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "core/base/error.hpp"
#include "gpu/runtime/buffer.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/device_team.hpp"
#include "gpu/runtime/growing_memory.hpp"

namespace lufact::gpu {
namespace {

constexpr std::uint64_t session_bytes = std::uint64_t{256} << 20;

SessionOptions on_device(int device) {
  return {device, session_bytes};
}

int current_device() {
  int device = -1;
  LUFACT_CUDA(cudaGetDevice(&device));
  return device;
}

class TeamOfDevices : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }

  // Copies between all pairs, from memory of the session and from memory that grows.
  static void expect_copies(const DeviceTeam& team) {
    std::vector<Index> values(100000);
    std::iota(values.begin(), values.end(), 7);
    const auto size = static_cast<Offset>(values.size());
    for (Index from = 0; from < team.size(); ++from) {
      for (Index to = 0; to < team.size(); ++to) {
        std::optional<Buffer<Index>> source, target;
        std::optional<GrowingMemory> growing;
        team.run([&](Index k) {
          if (k == from) {
            source = upload_copy(team.session(k), MemoryRole::scratch,
                                 std::span<const Index>(values), "a source");
            growing.emplace(team.session(k), MemoryRole::scratch, source->bytes(), "a source",
                            team.readers(k));
            growing->grow(source->bytes());
            team.copy(k, growing->data(), k, source->data(), source->bytes());
          }
          if (k == to) target.emplace(team.session(k), MemoryRole::scratch, size, "a target");
        });
        for (const void* memory : {static_cast<const void*>(source->data()),
                                   static_cast<const void*>(growing->data())}) {
          std::vector<Index> came;
          team.run([&](Index k) {
            if (k != to) return;
            target->fill_bytes(0);
            team.copy(to, target->data(), from, memory, target->bytes());
            came = target->download();
          });
          EXPECT_EQ(came, values) << from << " to " << to;
        }
      }
    }
  }
};

TEST_F(TeamOfDevices, CopiesBetweenItsMembers) {
  DeviceSession first(on_device(0));
  const DeviceTeam team(first, {on_device(0), on_device(0)});
  EXPECT_EQ(team.size(), 3);
  EXPECT_EQ(team.transport(), "device");
  EXPECT_TRUE(team.readers(0).empty());
  expect_copies(team);
  for (Index k = 0; k < team.size(); ++k) EXPECT_EQ(team.session(k).ledger().in_use(), 0U);
}

TEST_F(TeamOfDevices, EveryMemberHasItsDevice) {
  DeviceSession first(on_device(0));
  const DeviceTeam team(first, {on_device(0)});
  std::atomic<int> right{0};
  team.run([&](Index k) { right += current_device() == team.session(k).device() ? 1 : 0; });
  EXPECT_EQ(right, 2);
  EXPECT_EQ(current_device(), 0);
}

TEST_F(TeamOfDevices, ThrowsWhatTheLowestMemberThrewAfterAllAreDone) {
  DeviceSession first(on_device(0));
  const DeviceTeam team(first, {on_device(0), on_device(0)});
  std::atomic<int> done{0};
  const auto fail = [&](Index k) {
    if (k == 0) return;
    ++done;
    throw std::runtime_error(std::to_string(k));
  };
  try {
    team.run(fail);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "1");
  }
  EXPECT_EQ(done, 2);
}

TEST_F(TeamOfDevices, RefusesADeviceThatIsNotThere) {
  DeviceSession first(on_device(0));
  EXPECT_THROW(DeviceTeam(first, {on_device(0), on_device(4096)}), Error);
  EXPECT_EQ(current_device(), 0);
}

TEST_F(TeamOfDevices, CopiesBetweenTwoDevicesEitherWay) {
  const std::string fault = find_device_fault(1);
  if (!fault.empty()) GTEST_SKIP() << fault;
  DeviceSession first(on_device(0));
  {
    const DeviceTeam team(first, {on_device(1)}, DeviceTeam::Access::through_host);
    EXPECT_EQ(team.transport(), "host");
    expect_copies(team);
  }
  const DeviceTeam team(first, {on_device(1)});
  EXPECT_EQ(team.transport(), team.peer_access() ? "peer" : "host");
  expect_copies(team);
}

}  // namespace
}  // namespace lufact::gpu
