// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/measure/process_stat.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// A folder of /proc whose file `stat` says this.
class StatFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lufact-stat-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::optional<ProcessStat> read(const std::string& line) const {
    std::ofstream(folder_ / "stat") << line;
    return read_process_stat(folder_);
  }

  fs::path folder_;
};

TEST_F(StatFile, ANameMayHoldBlanksAndParentheses) {
  const auto stat = read("7 (a (b) R 9) S 42 5 6 7 8 9 10 11 12 13 300 100 16 17\n");
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 42);
  EXPECT_DOUBLE_EQ(stat->seconds, 400.0 / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

TEST_F(StatFile, WhatHasEndedOrIsCutOffIsNothing) {
  EXPECT_FALSE(read_process_stat(folder_ / "gone").has_value());
  EXPECT_FALSE(read("").has_value());
  EXPECT_FALSE(read("7 (name S 42").has_value());
  EXPECT_FALSE(read("7 (name) S 42 5 6 7 8 9 10 11 12 13 300\n").has_value());
}

class StatusFile : public StatFile {
 protected:
  void write(const std::string& folder, const std::string& allowed) const {
    fs::create_directories(folder_ / folder);
    std::ofstream(folder_ / folder / "status")
        << "Name:\tone\nCpus_allowed:\tff\nCpus_allowed_list:\t" << allowed
        << "\nMems_allowed:\t1\n";
  }
  std::vector<int> allowed() const {
    const auto set = read_allowed_processors(folder_);
    std::vector<int> processors;
    for (int processor = 0; set && processor < CPU_SETSIZE; ++processor) {
      if (CPU_ISSET(processor, &*set)) processors.push_back(processor);
    }
    return processors;
  }
};

TEST_F(StatusFile, HasTheProcessorsOfEveryThread) {
  write(".", "3");
  EXPECT_THAT(allowed(), ElementsAre(3));
  write("task/7", "3");
  write("task/8", "16-18,40");
  EXPECT_THAT(allowed(), ElementsAre(3, 16, 17, 18, 40));
}

TEST_F(StatusFile, ThatIsNotThereOrLacksTheLineTellsNothing) {
  EXPECT_THAT(allowed(), IsEmpty());
  std::ofstream(folder_ / "status") << "Name:\tone\n";
  EXPECT_THAT(allowed(), IsEmpty());
  write(".", "");
  EXPECT_THAT(allowed(), IsEmpty());
}

TEST(ProcessStats, HaveThisProcessAndItsChildren) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const auto all = read_process_stats("/proc");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(all.contains(getpid()));
  EXPECT_EQ(all.at(getpid()).parent, getppid());
  EXPECT_EQ(all.at(getpid()).state, 'R');
  ASSERT_TRUE(all.contains(child));
  EXPECT_EQ(all.at(child).parent, getpid());
}

}  // namespace
}  // namespace lufact
