// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "core/base/affinity.hpp"

namespace lufact {
namespace {

constexpr const char* bound_variable = "LUFACT_TEST_BOUND";

int processors_of_this_thread() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  return CPU_COUNT(&mine);
}

// The second half of the test below, in a program that OpenMP has bound.
TEST(Affinity, OfABoundProgram) {
  const char* given = std::getenv(bound_variable);
  if (given == nullptr) GTEST_SKIP() << "runs as a child of Affinity.IsGivenBackToChildren";
  ASSERT_EQ(processors_of_this_thread(), 1) << "OpenMP did not bind the first thread";
  const auto processors = given_processors();
  ASSERT_TRUE(processors);
  std::thread([&] {
    EXPECT_EQ(processors_of_this_thread(), 1) << "a thread inherits the binding";
    run_on(processors);
    EXPECT_EQ(processors_of_this_thread(), std::atoi(given));
  }).join();
}

TEST(Affinity, IsGivenBackToChildren) {
  const int mine = processors_of_this_thread();
  if (mine < 2) GTEST_SKIP() << "one processor: nothing to bind";
  const pid_t child = fork();
  if (child == 0) {
    setenv("OMP_PROC_BIND", "true", 1);
    setenv("OMP_PLACES", "threads", 1);
    setenv(bound_variable, std::to_string(mine).c_str(), 1);
    execl("/proc/self/exe", "test", "--gtest_filter=Affinity.OfABoundProgram", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Affinity, IsLeftAloneWhereNothingIsBound) {
  if (std::getenv("OMP_PROC_BIND") != nullptr) GTEST_SKIP() << "OMP_PROC_BIND is set";
  EXPECT_FALSE(given_processors());
  const int before = processors_of_this_thread();
  run_on(std::nullopt);
  EXPECT_EQ(processors_of_this_thread(), before);
}

}  // namespace
}  // namespace lufact
