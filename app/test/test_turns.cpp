// SPDX-License-Identifier: BSD-3-Clause
// Runs that an interrupt keeps from beginning are not there: a sweep that goes on makes them.
#include <gtest/gtest.h>

#include <csignal>

#include "app/process/interrupt.hpp"
#include "app/run/turns.hpp"

namespace lufact {
namespace {

std::vector<RunRecord> run_two(const std::string& unreadable, std::vector<std::string>& told) {
  VariantPlan refused, other;
  refused.unsupported = other.unsupported = "for want of everything";
  refused.unsupported_code = other.unsupported_code = "nothing";
  WorkerPool pool;
  RunProgress progress(1, false);
  return run_in_turns({{&refused, {}}, {&other, {}}}, Input{"m", "/nowhere/m.mtx", {}}, unreadable,
                      pool, progress, [&](const RunRecord& run, double) {
                        told.push_back(run.error ? run.error->code : "no error");
                      });
}

TEST(Turns, TellOfEveryRunThatBegan) {
  std::vector<std::string> told;
  EXPECT_EQ(run_two("", told).size(), 2u);
  EXPECT_EQ(run_two("it is no matrix", told).size(), 2u);
  EXPECT_EQ(told, (std::vector<std::string>{"nothing", "nothing", "bad_matrix", "bad_matrix"}));
}

TEST(Turns, AreSilentOfRunsThatAnInterruptKeptFromBeginning) {
  const InterruptGuard guard;
  raise(SIGINT);
  std::vector<std::string> told;
  EXPECT_TRUE(run_two("", told).empty());
  EXPECT_TRUE(told.empty());
}

}  // namespace
}  // namespace lufact
