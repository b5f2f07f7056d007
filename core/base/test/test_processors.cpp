// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/base/memory_limit.hpp"
#include "core/base/processors.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

class ControlGroups : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lufact-groups-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    mounts_ = name;
  }
  void TearDown() override { fs::remove_all(mounts_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((mounts_ / file).parent_path());
    std::ofstream(mounts_ / file) << text << '\n';
  }

  fs::path mounts_;
};

TEST_F(ControlGroups, TheSmallestQuotaOnTheWayUpCounts) {
  write("cpu.max", "max 100000");
  write("a/cpu.max", "250000 100000");
  write("a/b/cpu.max", "400000 100000");
  EXPECT_EQ(quota_of_group("0::/a/b", mounts_), 2.5);
  EXPECT_EQ(quota_of_group("0::/a", mounts_), 2.5);
  EXPECT_FALSE(quota_of_group("0::/", mounts_));
}

TEST_F(ControlGroups, APathThatIsNotMountedLeavesTheRoot) {
  write("cpu.max", "150000 100000");
  EXPECT_EQ(quota_of_group("0::/of/the/host", mounts_), 1.5);
}

TEST_F(ControlGroups, OfTheFirstVersionOnlyThatOfTheProcessorCounts) {
  write("cpu/a/cpu.cfs_quota_us", "50000");
  write("cpu/a/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota_of_group("4:cpu,cpuacct:/a", mounts_), 0.5);
  EXPECT_FALSE(quota_of_group("5:cpuset:/a", mounts_));
  write("cpu/a/cpu.cfs_quota_us", "-1");
  EXPECT_FALSE(quota_of_group("4:cpu:/a", mounts_));
}

TEST_F(ControlGroups, WhatIsNoLineOfAGroupHasNoQuota) {
  EXPECT_FALSE(quota_of_group("", mounts_));
  EXPECT_FALSE(quota_of_group("0:", mounts_));
}

TEST_F(ControlGroups, TheSmallestLimitOfMemoryOnTheWayUpCounts) {
  write("a/memory.max", "3000000");
  write("a/b/memory.max", "max");
  EXPECT_EQ(memory_limit_of_group("0::/a/b", mounts_), 3'000'000u);
  EXPECT_FALSE(memory_limit_of_group("0::/", mounts_));
  write("memory.max", "2000000");
  EXPECT_EQ(memory_limit_of_group("0::/a/b", mounts_), 2'000'000u);
  EXPECT_EQ(memory_limit_of_group("0::/of/the/host", mounts_), 2'000'000u);
}

TEST_F(ControlGroups, OfTheFirstVersionOnlyThatOfMemoryCounts) {
  write("memory/a/memory.limit_in_bytes", "50000");
  write("memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(memory_limit_of_group("7:memory:/a", mounts_), 50'000u);
  EXPECT_FALSE(memory_limit_of_group("7:memory:/", mounts_));
  EXPECT_FALSE(memory_limit_of_group("4:cpu:/a", mounts_));
}

TEST_F(ControlGroups, TheSmallestRoomOnTheWayUpCounts) {
  write("memory.max", "9000000");
  write("memory.current", "8500000");
  write("a/memory.max", "3000000");
  write("a/memory.current", "1000000");
  EXPECT_EQ(memory_room_of_group("0::/a", mounts_), 500'000u);
  write("memory.current", "2000000");
  EXPECT_EQ(memory_room_of_group("0::/a", mounts_), 2'000'000u);
  write("a/memory.current", "3000001");
  EXPECT_EQ(memory_room_of_group("0::/a", mounts_), 0u);
  write("memory.max", "max");
  EXPECT_FALSE(memory_room_of_group("0::/", mounts_));
}

TEST_F(ControlGroups, OfTheFirstVersionTheUseOfMemoryIsInBytes) {
  write("memory/a/memory.limit_in_bytes", "50000");
  write("memory/a/memory.usage_in_bytes", "20000");
  EXPECT_EQ(memory_room_of_group("7:memory:/a", mounts_), 30'000u);
  write("memory/b/memory.limit_in_bytes", "50000");
  EXPECT_EQ(memory_room_of_group("7:memory:/b", mounts_), 0u) << "what is used is not known";
}

TEST(MemoryLimit, WhatIsAvailableIsThereAndNotMoreThanAll) {
  EXPECT_GT(available_memory(), 0u);
  EXPECT_LE(available_memory(), usable_memory());
}

TEST(MemoryLimit, IsNeverMoreThanWhatIsGivenOrInstalled) {
  const std::uint64_t all = usable_memory();
  EXPECT_GT(all, 0u);
  EXPECT_LE(all, memory_limit().value_or(all));
  EXPECT_EQ(memory_limit_with(1), 1u);
  EXPECT_EQ(memory_limit_with(std::nullopt), memory_limit());
}

TEST(Processors, AreThoseOfTheAffinity) {
  if (std::getenv("OMP_PROC_BIND") != nullptr) GTEST_SKIP() << "OMP_PROC_BIND is set";
  std::thread([] {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
    int one = 0;
    while (!CPU_ISSET(one, &mine)) ++one;
    EXPECT_LE(usable_processors(), CPU_COUNT(&mine));
    cpu_set_t single;
    CPU_ZERO(&single);
    CPU_SET(one, &single);
    ASSERT_EQ(sched_setaffinity(0, sizeof single, &single), 0);
    EXPECT_EQ(usable_processors(), 1);
    EXPECT_EQ(usable_processor_list(), std::to_string(one));
  }).join();
}

TEST(Processors, AreReadFromAList) {
  const auto some = processors_of_list("\t0-2,8\n");
  ASSERT_TRUE(some);
  EXPECT_EQ(CPU_COUNT(&*some), 4);
  for (const int processor : {0, 1, 2, 8}) EXPECT_TRUE(CPU_ISSET(processor, &*some)) << processor;
  const auto own = processors_of_list(usable_processor_list());
  const cpu_set_t usable = usable_processor_set();
  EXPECT_TRUE(own && CPU_EQUAL(&*own, &usable));
  for (const char* none : {"", "\n", "all", "0,x"}) EXPECT_FALSE(processors_of_list(none)) << none;
}

}  // namespace
}  // namespace lufact
