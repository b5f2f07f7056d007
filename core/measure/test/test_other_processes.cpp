// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/processors.hpp"
#include "core/measure/other_processes.hpp"
#include "core/measure/process_stat.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;
using testing::DoubleNear;
using testing::Pair;
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
  // That the process, or a thread of it, may run on these.
  void allow(const std::string& folder, const std::string& processors) {
    fs::create_directories(proc_ / folder);
    std::ofstream(proc_ / folder / "status") << "Cpus_allowed_list:\t" << processors << '\n';
  }
  OtherProcesses watch() const { return {100, *processors_of_list("0-3"), proc_}; }
  // Seconds of processor time since `watch` began, of others that may run on our processors and of
  // those that may not; -1: not known.
  static std::pair<double, double> seconds(const OtherProcesses& watch) {
    const auto use = watch.use();
    if (!use) return {-1, -1};
    return {use->processors * use->elapsed_s,
            use->elsewhere ? *use->elsewhere * use->elapsed_s : -1};
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
  const OtherProcesses watched = watch();
  write(30, 2, "kworker/0:1", 3);
  write(100, 1, "lufact", 6);
  write(101, 100, "lufact", 8);
  write(102, 101, "a program (that we) started", 9);
  write(200, 1, "another one", 9.5);
  EXPECT_THAT(seconds(watched), Pair(DoubleNear(2.5, 1e-6), -1)) << "where is not told";
}

TEST_F(Processes, ThatBeginCountAndThatEndDoNot) {
  write(100, 1, "lufact", 5);
  write(200, 1, "ends", 7);
  write(300, 1, "ends, and another has its number", 7);
  const OtherProcesses watched = watch();
  fs::remove_all(proc_ / "200");
  write(300, 1, "new", 0.5);
  write(400, 1, "new", 1.25);
  EXPECT_THAT(seconds(watched), Pair(DoubleNear(1.75, 1e-6), -1));
}

TEST_F(Processes, CountApartWhereTheyMayNotRunOnOurProcessors) {
  allow("100", "0-3");
  for (const pid_t pid : {100, 200, 300, 400, 500}) write(pid, 1, "program", 1);
  allow("200", "4-7,12");
  allow("300", "3-5");
  allow("400", "0-63");
  const OtherProcesses watched = watch();
  write(200, 1, "beside us", 3);
  write(300, 1, "in part", 1.25);
  write(400, 1, "everywhere", 1.5);
  write(500, 1, "hides it", 1.125);
  EXPECT_THAT(seconds(watched), Pair(DoubleNear(0.875, 1e-6), DoubleNear(2, 1e-6)));
}

TEST_F(Processes, ShareOurProcessorsByAnyOfTheirThreads) {
  allow("100", "0-3");
  write(200, 1, "bound, thread by thread", 1);
  allow("200", "4");
  allow("200/task/200", "4");
  allow("200/task/201", "2");
  const OtherProcesses watched = watch();
  write(200, 1, "bound, thread by thread", 3);
  EXPECT_THAT(seconds(watched), Pair(DoubleNear(2, 1e-6), DoubleNear(0, 1e-6)));
}

TEST_F(Processes, ShareThemWhereOursAreNotKnown) {
  allow("100", "0-3");
  allow("200", "4");
  for (const pid_t pid : {100, 200}) write(pid, 1, "program", 1);
  const OtherProcesses watched(100, cpu_set_t{}, proc_);
  write(200, 1, "program", 3);
  EXPECT_THAT(seconds(watched), Pair(DoubleNear(2, 1e-6), -1));
}

TEST_F(Processes, ThatCannotBeSeenAreNotKnown) {
  EXPECT_FALSE(watch().use());
}

// What half a second of a busy process bound to `theirs` is for a process that may run on `ours`.
std::optional<OthersUse> use_by_busy_process(const cpu_set_t& ours, const cpu_set_t& theirs) {
  const pid_t root = fork();  // the watched family: a process that sleeps
  if (root == 0) {
    pause();
    _exit(0);
  }
  const OtherProcesses watch(root, ours);
  const pid_t busy = fork();
  if (busy == 0) {
    sched_setaffinity(0, sizeof theirs, &theirs);
    for (std::atomic<unsigned> spins{0};;) ++spins;
  }
  std::this_thread::sleep_for(500ms);
  const auto use = watch.use();
  for (const pid_t pid : {root, busy}) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  return use;
}

TEST(OtherProcess, ThatIsBusyIsSeen) {
  if (!fs::exists("/proc/self/stat")) GTEST_SKIP() << "this system shows no processes";
  const auto use = use_by_busy_process(usable_processor_set(), usable_processor_set());
  ASSERT_TRUE(use);
  EXPECT_GE(use->elapsed_s, 0.5);
  EXPECT_GE(use->processors, 0.1);  // it may share its processor with many
}

TEST(OtherProcess, ThatIsBusyOnAnotherProcessorIsElsewhere) {
  if (!read_allowed_processors("/proc/self")) GTEST_SKIP() << "this system shows no affinity";
  std::vector<int> usable;
  const cpu_set_t all = usable_processor_set();
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &all)) usable.push_back(processor);
  }
  if (usable.size() < 2) GTEST_SKIP() << "there is one processor";
  const auto use = use_by_busy_process(*processors_of_list(std::to_string(usable[0])),
                                       *processors_of_list(std::to_string(usable[1])));
  ASSERT_TRUE(use && use->elsewhere);
  EXPECT_GE(*use->elsewhere, 0.1);
}

}  // namespace
}  // namespace lufact
