// SPDX-License-Identifier: BSD-3-Clause
// How often runs repeat, and what their records say of the host, from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "app/test/command_line.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Environment variables for the programs that a test starts, without those of whoever runs it.
class OpenMpVariables : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : names) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      unsetenv(name);
    }
    matrix_ = generate(folder_, "grid.mtx", {"grid2d", "--nx", "20", "--ny", "15"});
  }
  void TearDown() override {
    for (const char* name : names) unsetenv(name);
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }

  json runs_of(std::vector<std::string> options) {
    const std::string output = folder_ / "out.json";
    options.insert(options.begin(), {"run", "--matrix", matrix_, "--output", output});
    const Outcome outcome = run_program(options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Outcome valid = run_program({"validate", output});
    EXPECT_EQ(valid.status, 0) << valid.err;
    return read_json(output).at("runs");
  }

  void expect_usage(std::vector<std::string> options, const std::string& text) {
    options.insert(options.begin(), {"run", "--matrix", matrix_, "--mode", "cpu"});
    const Outcome outcome = run_program(options);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(text));
  }

  static constexpr std::array names{"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES",
                                    "OMP_WAIT_POLICY", "GOMP_SPINCOUNT"};
  TemporaryFolder folder_;
  std::string matrix_;
  std::map<std::string, std::string> before_;
};

using Repetitions = OpenMpVariables;
using HostStates = OpenMpVariables;

TEST_F(Repetitions, OfAFixedNumberEndByCount) {
  const json run = runs_of({"--mode", "cpu", "--repetitions", "3"}).at(0);
  EXPECT_EQ(run["samples"].size(), 3u);
  EXPECT_EQ(run["sampling"]["repetitions"], 3);
  EXPECT_EQ(run["sampling"]["ended_by"], "count");
  EXPECT_TRUE(run["sampling"]["max_repetitions"].is_null());
  EXPECT_GE(run["sampling"]["spread_percent"], 0);
  EXPECT_EQ(runs_of({"--mode", "cpu", "--repetitions", "1"}).at(0)["samples"].size(), 1u);
}

TEST_F(Repetitions, StopAtTheMostWhereTheNoiseIsNeverReached) {
  const json runs =
      runs_of({"--mode", "cpu,fast-cpu", "--max-noise", "1e-9", "--max-repetitions", "7"});
  ASSERT_EQ(runs.size(), 2u);
  for (const json& run : runs) {
    EXPECT_EQ(run["samples"].size(), 7u);
    EXPECT_EQ(run["sampling"]["ended_by"], "max_repetitions");
    EXPECT_EQ(run["sampling"]["max_noise_percent"], 1e-9);
  }
}

TEST_F(Repetitions, OfAllThatTakeTurnsEndTogether) {
  const json runs =
      runs_of({"--mode", "cpu,fast-cpu", "--max-noise", "1000", "--repetitions", "2"});
  for (const json& run : runs) {
    EXPECT_EQ(run["samples"].size(), 5u) << "at least";
    EXPECT_EQ(run["samples"].back()["repetition"], 4);
    EXPECT_EQ(run["sampling"]["ended_by"], "goal");
  }
  ASSERT_EQ(runs.size(), 2u);
}

TEST_F(Repetitions, AreWarmedUpForWhereOthersHadTheMachine) {
  const json alone = runs_of({"--mode", "cpu", "--repetitions", "3"});
  EXPECT_EQ(alone[0]["sampling"]["turn_warmups"], 0);
  for (const json& run : runs_of({"--mode", "cpu,fast-cpu", "--repetitions", "3"})) {
    EXPECT_GT(run["sampling"]["turn_warmups"], 0);
    EXPECT_LE(run["sampling"]["turn_warmups"], 3);
    EXPECT_EQ(run["samples"].size(), 3u);
    EXPECT_EQ(run["samples"].back()["repetition"], 2);
  }
  for (const json& run :
       runs_of({"--mode", "cpu,fast-cpu", "--repetitions", "3", "--warmup", "0"})) {
    EXPECT_EQ(run["sampling"]["turn_warmups"], 0);
  }
}

TEST_F(Repetitions, AddUpToTheTime) {
  const json run =
      runs_of({"--mode", "cpu", "--min-time", "0.02", "--max-repetitions", "100000"}).at(0);
  double total_s = 0;
  for (const json& sample : run["samples"]) total_s += sample["total_s"].get<double>();
  EXPECT_GE(total_s, 0.02);
  EXPECT_EQ(run["sampling"]["ended_by"], "goal");
}

TEST_F(Repetitions, ThatContradictEachOtherAreRefused) {
  expect_usage({"--max-repetitions", "9"}, "alone, give --repetitions");
  expect_usage({"--max-repetitions", "3", "--max-noise", "2"}, "below the 5");
  expect_usage({"--max-noise", "0"}, "percent above 0");
  expect_usage({"--min-time", "-1"}, "seconds above 0");
}

TEST_F(Repetitions, OfASweepFollowItsOptions) {
  const json config = {
      {"name", "noise"},
      {"purpose", "a test"},
      {"options", {{"max-noise", 1000}, {"max-repetitions", 9}, {"warmup", 0}}},
      {"matrices", {{{"generate", {{"kind", "grid2d"}, {"name", "g"}, {"nx", 9}, {"ny", 9}}}}}},
      {"variants",
       {{{"mode", "cpu"}},
        {{"name", "more"}, {"mode", "cpu"}, {"options", {{"repetitions", 8}}}}}}};
  std::ofstream(folder_ / "config.json") << config.dump();
  const Outcome outcome = run_program(
      {"sweep", "--config", folder_ / "config.json", "--output-dir", folder_ / "out", "--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json runs = read_json(folder_ / "out/noise.json").at("runs");
  ASSERT_EQ(runs.size(), 2u);
  for (const json& run : runs) EXPECT_EQ(run["samples"].size(), 8u);
}

TEST_F(Repetitions, OfABatchFollowTheNoiseToo) {
  const std::string output = folder_ / "batch.json";
  const Outcome outcome =
      run_program({"batch", "--size", "5", "--count", "50", "--variant", "cpu", "--max-noise",
                   "1e-9", "--max-repetitions", "6", "--output", output});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json run = read_json(output).at("runs").at(0);
  EXPECT_EQ(run["samples"].size(), 6u);
  EXPECT_EQ(run["sampling"]["ended_by"], "max_repetitions");
  EXPECT_GE(run["host_state"]["processors"], 1);
  EXPECT_EQ(run_program({"validate", output}).status, 0);
}

TEST_F(HostStates, SayWhatTheWorkerWasGiven) {
  const json run = runs_of({"--mode", "fast-cpu", "--threads", "1", "--refactor", "2"}).at(0);
  const json& state = run["host_state"];
  EXPECT_EQ(state["threads"], 1);
  EXPECT_GE(state["processors"], 1);
  EXPECT_FALSE(state["processor_list"].get<std::string>().empty());
  EXPECT_EQ(state["environment"]["GOMP_SPINCOUNT"], "1000");
  for (const char* list : {"samples", "refactor_samples"}) {
    for (const json& sample : run[list]) {
      EXPECT_GT(sample["host"]["elapsed_s"], 0);
      EXPECT_GE(sample["host"]["elapsed_s"], sample["total_s"]);
      EXPECT_GE(sample["host"]["own_s"], 0);
    }
  }
}

TEST_F(HostStates, LeaveTheWaitingOfThreadsToTheUser) {
  setenv("OMP_WAIT_POLICY", "passive", 1);
  const json passive = runs_of({"--mode", "cpu"}).at(0)["host_state"]["environment"];
  EXPECT_EQ(passive["OMP_WAIT_POLICY"], "passive");
  EXPECT_FALSE(passive.contains("GOMP_SPINCOUNT"));
  unsetenv("OMP_WAIT_POLICY");
  setenv("GOMP_SPINCOUNT", "77", 1);
  EXPECT_EQ(runs_of({"--mode", "cpu"}).at(0)["host_state"]["environment"]["GOMP_SPINCOUNT"], "77");
}

TEST_F(HostStates, HaveTheThreadsOfTheEnvironment) {
  setenv("OMP_NUM_THREADS", "3,2", 1);
  EXPECT_EQ(runs_of({"--mode", "cpu"}).at(0)["host_state"]["threads"], 3);
  EXPECT_EQ(runs_of({"--mode", "cpu", "--threads", "2"}).at(0)["host_state"]["threads"], 2);
}

TEST_F(HostStates, HaveTheProcessorsOfTheAffinity) {
  cpu_set_t mine, one;
  CPU_ZERO(&mine);
  CPU_ZERO(&one);
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &mine)) --last;
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const json state = runs_of({"--mode", "cpu"}).at(0)["host_state"];
  sched_setaffinity(0, sizeof mine, &mine);
  EXPECT_EQ(state["processors"], 1);
  EXPECT_EQ(state["threads"], 1);
  EXPECT_EQ(state["processor_list"], std::to_string(last));
}

// One busy process for each processor and another one.
class BusyHost {
 public:
  BusyHost() {
    for (unsigned k = 0; k <= std::thread::hardware_concurrency(); ++k) {
      const pid_t pid = fork();
      if (pid == 0) {
        for (std::atomic<unsigned> spins{0};;) ++spins;
      }
      pids_.push_back(pid);
    }
  }
  ~BusyHost() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  BusyHost(const BusyHost&) = delete;
  BusyHost& operator=(const BusyHost&) = delete;

 private:
  std::vector<pid_t> pids_;
};

TEST_F(HostStates, WarnOfABusyHost) {
  if (runs_of({"--mode", "cpu"}).at(0)["host_state"]["other_processors"].is_null()) {
    GTEST_SKIP() << "this system does not tell what other processes do";
  }
  matrix_ = generate(folder_, "large.mtx", {"grid2d", "--nx", "150", "--ny", "150"});
  const BusyHost busy;
  const json run = runs_of({"--mode", "cpu", "--repetitions", "3", "--min-time", "0.3"}).at(0);
  EXPECT_GE(run["host_state"]["other_processors"], 0.25);  // its share where there are others yet
  EXPECT_THAT(run["warnings"].dump(), HasSubstr("host_busy"));
}

}  // namespace
}  // namespace lufact::test
