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
#include <optional>
#include <thread>
#include <vector>

#include "app/test/command_line.hpp"
#include "core/report/measurement_quality.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

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

// Of the affinity of this process.
std::vector<int> own_processors() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  std::vector<int> processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &mine)) processors.push_back(processor);
  }
  return processors;
}

void bind_to(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(0, sizeof one, &one);
}

// This process and those that it starts run on one processor, until the end of the scope.
class Bound {
 public:
  explicit Bound(int processor) {
    CPU_ZERO(&before_);
    sched_getaffinity(0, sizeof before_, &before_);
    bind_to(processor);
  }
  ~Bound() { sched_setaffinity(0, sizeof before_, &before_); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  cpu_set_t before_;
};

TEST_F(HostStates, HaveTheProcessorsOfTheAffinity) {
  const int last = own_processors().back();
  const Bound bound(last);
  const json state = runs_of({"--mode", "cpu"}).at(0)["host_state"];
  EXPECT_EQ(state["processors"], 1);
  EXPECT_EQ(state["threads"], 1);
  EXPECT_EQ(state["processor_list"], std::to_string(last));
}

// Busy processes: one for each processor and another one, or one that is bound.
class BusyHost {
 public:
  BusyHost() {
    for (unsigned k = 0; k <= std::thread::hardware_concurrency(); ++k) start(std::nullopt);
  }
  explicit BusyHost(int processor) { start(processor); }
  ~BusyHost() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  BusyHost(const BusyHost&) = delete;
  BusyHost& operator=(const BusyHost&) = delete;

 private:
  void start(std::optional<int> processor) {
    const pid_t pid = fork();
    if (pid == 0) {
      if (processor) bind_to(*processor);
      for (std::atomic<unsigned> spins{0};;) ++spins;
    }
    pids_.push_back(pid);
  }

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

// That the host did something else meanwhile which is a reason for `host_busy`.
bool was_disturbed(const json& state) {
  const auto reaches = [&](const char* key, double limit) {
    return !state[key].is_null() && state[key].get<double>() >= limit;
  };
  return reaches("other_processors", quality_limits::foreign_processors) ||
         reaches("foreign_processors", quality_limits::foreign_processors) ||
         reaches("waited_share", quality_limits::waited_share) ||
         reaches("stolen_share", quality_limits::taken_share) ||
         reaches("throttled_share", quality_limits::taken_share);
}

// A process is counted by one of two figures, so that one that is seen elsewhere is not among those
// which may disturb.
TEST_F(HostStates, TellProcessesOnOtherProcessorsFromABusyHost) {
  const std::vector<int> processors = own_processors();
  if (processors.size() < 2) GTEST_SKIP() << "there is one processor";
  matrix_ = generate(folder_, "large.mtx", {"grid2d", "--nx", "150", "--ny", "150"});
  const Bound bound(processors[0]);
  const BusyHost busy(processors[1]);
  const json run = runs_of({"--mode", "cpu", "--repetitions", "3", "--min-time", "1.2"}).at(0);
  const json& state = run["host_state"];
  if (state["other_processors_elsewhere"].is_null()) {
    GTEST_SKIP() << "this system does not tell where other processes may run";
  }
  EXPECT_GT(state["other_processors_elsewhere"], 0);
  if (was_disturbed(state)) GTEST_SKIP() << "others use this processor now: " << state.dump();
  EXPECT_GE(state["other_processors_elsewhere"], 0.25);
  EXPECT_THAT(run["warnings"].dump(), Not(HasSubstr("host_busy")));
}

}  // namespace
}  // namespace lufact::test
