// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "core/measure/other_processes.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class Processes : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "lufact-proc-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    proc_ = name;
  }
  void TearDown() override { fs::remove_all(proc_); }

  void write(pid_t pid, pid_t parent, const std::string& name, double seconds) {
    const fs::path folder = proc_ / std::to_string(pid);
    fs::create_directories(folder);
    const double ticks = seconds * static_cast<double>(sysconf(_SC_CLK_TCK));
    std::ofstream(folder / "stat")
        << pid << " (" << name << ") S " << parent << " 5 6 7 8 9 10 11 12 13 " << ticks / 2 << ' '
        << ticks / 2 << " 16 17\n";
  }
  // Seconds of processor time of the others since `watch` began.
  static double seconds(const OtherProcesses& watch) {
    const auto use = watch.use();
    return use ? use->processors * use->elapsed_s : -1;
  }

  fs::path proc_;
};

TEST_F(Processes, OfOthersCountOursAndTheKernelsDoNot) {
  write(1, 0, "init", 10);
  write(2, 0, "kthreadd", 0);
  write(30, 2, "kworker/0:1", 1);
  write(100, 1, "lufact", 5);
  write(101, 100, "lufact", 5);
  write(102, 101, "a program (that we) started", 5);
  write(200, 1, "another one", 7);
  const OtherProcesses watch(100, proc_);
  write(30, 2, "kworker/0:1", 3);
  write(100, 1, "lufact", 6);
  write(101, 100, "lufact", 8);
  write(102, 101, "a program (that we) started", 9);
  write(200, 1, "another one", 9.5);
  EXPECT_NEAR(seconds(watch), 2.5, 1e-6);
}

TEST_F(Processes, ThatBeginCountAndThatEndDoNot) {
  write(100, 1, "lufact", 5);
  write(200, 1, "ends", 7);
  write(300, 1, "ends, and another has its number", 7);
  const OtherProcesses watch(100, proc_);
  fs::remove_all(proc_ / "200");
  write(300, 1, "new", 0.5);
  write(400, 1, "new", 1.25);
  EXPECT_NEAR(seconds(watch), 1.75, 1e-6);
}

TEST_F(Processes, ThatCannotBeSeenAreNotKnown) {
  EXPECT_FALSE(OtherProcesses(1, proc_).use());
}

TEST(OtherProcess, ThatIsBusyIsSeen) {
  if (!fs::exists("/proc/self/stat")) GTEST_SKIP() << "this system shows no processes";
  const pid_t root = fork();  // the watched family: a process that sleeps
  if (root == 0) {
    pause();
    _exit(0);
  }
  const OtherProcesses watch(root);
  const pid_t busy = fork();
  if (busy == 0) {
    for (std::atomic<unsigned> spins{0};;) ++spins;
  }
  std::this_thread::sleep_for(500ms);
  const auto use = watch.use();
  for (const pid_t pid : {root, busy}) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  ASSERT_TRUE(use);
  EXPECT_GE(use->elapsed_s, 0.5);
  EXPECT_GE(use->processors, 0.1);  // it may share its processor with many
}

}  // namespace
}  // namespace lufact
