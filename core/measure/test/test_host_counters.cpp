// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "core/base/processors.hpp"
#include "core/measure/host_counters.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

class MadeUpProc : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lufact-proc-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    proc_ = name;
  }
  void TearDown() override { fs::remove_all(proc_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((proc_ / file).parent_path());
    std::ofstream(proc_ / file) << text << '\n';
  }

  fs::path proc_;
};

TEST_F(MadeUpProc, GivesTicksOfOurProcessorsInSeconds) {
  const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  write("stat",
        "cpu  100100 0 0 9000 0 0 0 1000 0 0\n"
        "cpu0 50000 0 0 1000 0 0 0 500 0 0\n"
        "cpu1 100 20 30 4000 50 6 7 8 9 10\n"
        "cpu2 50000 0 0 0 0 0 0 492 0 0\n"
        "cpu13 1000 0 0 4000 0 0 0 1 0 0\n"
        "intr 5");
  const HostCounters counters = read_host_counters(*processors_of_list("1,13"), proc_);
  ASSERT_TRUE(counters.busy_s && counters.stolen_s);
  EXPECT_DOUBLE_EQ(*counters.busy_s, tick_s * (100 + 20 + 30 + 6 + 7 + 1000));
  EXPECT_DOUBLE_EQ(*counters.stolen_s, tick_s * 9);
}

TEST_F(MadeUpProc, OfWhichOneOfOurProcessorsIsMissingIsNotKnown) {
  write("stat", "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1");
  EXPECT_TRUE(read_host_counters(*processors_of_list("0"), proc_).busy_s);
  EXPECT_FALSE(read_host_counters(*processors_of_list("0-1"), proc_).busy_s);
  EXPECT_FALSE(read_host_counters(cpu_set_t{}, proc_).busy_s);
  write("stat", "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3");
  EXPECT_FALSE(read_host_counters(*processors_of_list("0"), proc_).busy_s);
}

TEST_F(MadeUpProc, OfNothingButZerosIsNotKnown) {
  write("stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0");
  const HostCounters counters = read_host_counters(*processors_of_list("0"), proc_);
  EXPECT_FALSE(counters.busy_s);
  EXPECT_FALSE(counters.stolen_s);
  EXPECT_FALSE(use_between(counters, counters).foreign_s);
}

TEST_F(MadeUpProc, AddsWhatEachThreadWaited) {
  write("self/task/11/schedstat", "5000000000 2000000000 17");
  write("self/task/12/schedstat", "1 500000000 1");
  EXPECT_DOUBLE_EQ(read_host_counters(*processors_of_list("0"), proc_).waited_s.value(), 2.5);
}

TEST_F(MadeUpProc, WithoutFilesLeavesWhatTheProcessKnows) {
  const HostCounters counters = read_host_counters(*processors_of_list("0"), proc_);
  EXPECT_FALSE(counters.busy_s || counters.waited_s || counters.throttled_s);
  EXPECT_GT(counters.clock_s, 0);
}

TEST(HostUse, IsWhatCameBetween) {
  const HostCounters before{.clock_s = 10,
                            .own_s = 1,
                            .busy_s = 20,
                            .stolen_s = 3,
                            .waited_s = 0.5,
                            .throttled_s = 0,
                            .involuntary_switches = 4,
                            .page_faults = 100};
  const HostCounters after{.clock_s = 12,
                           .own_s = 3.5,
                           .busy_s = 24,
                           .stolen_s = 3.25,
                           .waited_s = 0.75,
                           .throttled_s = 0.125,
                           .involuntary_switches = 11,
                           .page_faults = 130};
  const HostUse use = use_between(before, after);
  EXPECT_DOUBLE_EQ(use.elapsed_s, 2);
  EXPECT_DOUBLE_EQ(use.own_s, 2.5);
  EXPECT_DOUBLE_EQ(use.foreign_s.value(), 1.5);
  EXPECT_DOUBLE_EQ(use.stolen_s.value(), 0.25);
  EXPECT_DOUBLE_EQ(use.waited_s.value(), 0.25);
  EXPECT_DOUBLE_EQ(use.throttled_s.value(), 0.125);
  EXPECT_EQ(use.involuntary_switches, 7);
  EXPECT_EQ(use.page_faults, 30);
}

TEST(HostUse, IsNeverNegative) {
  const HostCounters before{.busy_s = 20, .waited_s = 2};
  const HostCounters after{.own_s = 1, .busy_s = 20.5, .waited_s = 1};
  EXPECT_EQ(use_between(before, after).foreign_s, 0);
  EXPECT_EQ(use_between(before, after).waited_s, 0);
}

TEST(HostUse, CountsTheTimeOfThisProcess) {
  const HostCounters before = read_host_counters(usable_processor_set());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  volatile int work = 0;
  while (std::chrono::steady_clock::now() < end) work = work + 1;
  const HostUse use = use_between(before, read_host_counters(usable_processor_set()));
  EXPECT_GE(use.elapsed_s, 0.05);
  EXPECT_GT(use.own_s, 0);
  EXPECT_LE(use.own_s, use.elapsed_s + 0.02);
}

TEST(HostUse, CountsPagesThatAreTouchedTheFirstTime) {
  constexpr std::size_t pages = 64, page = 4096;
  const HostCounters before = read_host_counters(usable_processor_set());
  void* const memory =
      mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(madvise(memory, pages * page, MADV_NOHUGEPAGE), 0);
  for (std::size_t p = 0; p < pages; ++p) static_cast<volatile char*>(memory)[p * page] = 1;
  const HostUse use = use_between(before, read_host_counters(usable_processor_set()));
  munmap(memory, pages * page);
  EXPECT_GE(use.page_faults.value(), static_cast<std::int64_t>(pages));
}

}  // namespace
}  // namespace lufact
