// SPDX-License-Identifier: BSD-3-Clause
// `lufact run --ranks` from the outside, on the cores of this host: what several processes find,
// and what becomes of runs whose ranks fail. Launchers of tests put a script in front of a rank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/process/process_tree.hpp"
#include "app/test/command_line.hpp"
#include "core/base/test/variable.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;

class RankRuns : public testing::Test {
 protected:
  void SetUp() override {
    const json mpi = json::parse(run_program({"doctor", "--json"}).out).at("mpi");
    if (!mpi.at("can_run").get<bool>()) GTEST_SKIP() << mpi.at("reason").get<std::string>();
    matrix_ = generate(folder_, "m.mtx", {"grid2d", "--nx", "40", "--ny", "30"});
  }

  std::vector<std::string> command(const std::vector<std::string>& options) const {
    std::vector<std::string> words{"run",       matrix_,    "--mode", "cpu",      "--symbolic",
                                   "cpu-fill2", "--warmup", "0",      "--output", result_};
    if (std::ranges::find(options, "--until") == options.end()) {
      words.insert(words.end(), {"--until", "symbolic", "--supernodes", "t3"});
    }
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }

  // The only run of an invocation.
  json run(const std::vector<std::string>& options, int status = 0) const {
    const Outcome outcome = run_program(command(options));
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    return checked_run();
  }
  json checked_run() const {
    const json result = read_json(result_);
    EXPECT_THAT(schema_violations(result), testing::IsEmpty());
    EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty());
    return result.at("runs").at(0);
  }

  // A launcher that puts `prelude`, lines of a shell, in front of rank 1.
  std::string launcher(const std::string& prelude) const {
    write_script("rank.sh",
                 "if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then\n" + prelude + "\nfi\nexec \"$@\"\n");
    return "mpirun -n {ranks} " + (folder_ / "rank.sh");
  }
  void write_script(const std::string& name, const std::string& lines) const {
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << lines;
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
  }

  static void expect_failure(const json& run, const char* outcome, const char* code,
                             const std::string& text) {
    EXPECT_EQ(run.at("outcome"), outcome) << run.at("error");
    EXPECT_EQ(run.at("error").at("code"), code) << run.at("error");
    EXPECT_THAT(run.at("error").at("message").get<std::string>(), HasSubstr(text));
  }

  // What Open MPI asks of root, and for more ranks than cores.
  const Variable root_{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, sure_{"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      crowded_{"OMPI_MCA_rmaps_base_oversubscribe", "1"};
  TemporaryFolder folder_;
  const std::string result_ = folder_ / "result.json";
  std::string matrix_;
};

TEST_F(RankRuns, AnyNumberOfRanksFindsWhatOneProcessFinds) {
  const json alone = run({"--repetitions", "1"});
  for (const char* inter : {"interleave", "block"}) {
    for (int ranks = 1; ranks <= 5; ++ranks) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks, " << inter);
      std::vector<std::string> options{"--ranks", std::to_string(ranks), "--repetitions", "2"};
      if (ranks > 1) options.insert(options.end(), {"--gsofa-inter", inter});
      const json shared = run(options);
      EXPECT_EQ(shared.at("factors").at("pattern_sha256"),
                alone.at("factors").at("pattern_sha256"));
      EXPECT_EQ(shared.at("supernodes"), alone.at("supernodes"));
      EXPECT_EQ(shared.at("samples").size(), 2U);
      const json& distribution = shared.at("distribution");
      EXPECT_EQ(distribution.at("transport"), "mpi");
      EXPECT_EQ(distribution.at("ranks").size(), std::size_t(ranks));
      EXPECT_GT(distribution.at("ranks").at(0).at("host_peak_bytes"), 0);
    }
  }
}

TEST_F(RankRuns, TheWholePipelineRunsBehindASharedStep) {
  const json run_record = run({"--ranks", "2", "--until", "solve", "--verify", "full", "--refactor",
                               "2", "--repetitions", "1"});
  EXPECT_EQ(run_record.at("outcome"), "ok");
  EXPECT_EQ(run_record.at("refactor_samples").size(), 2U);
}

TEST_F(RankRuns, TheEnvironmentReachesEveryRank) {
  const Variable word("LUFACT_TEST_WORD", "word");
  const json record = run({"--ranks", "2", "--repetitions", "1", "--launcher",
                           launcher("test \"$LUFACT_TEST_WORD\" = word || exit 9")});
  EXPECT_EQ(record.at("outcome"), "ok");
}

TEST_F(RankRuns, ARankThatThrowsTellsItsOutcomeAndItsName) {
  const json record =
      run({"--ranks", "2", "--launcher", launcher("export LUFACT_RATES=/nowhere")}, 3);
  EXPECT_NE(record.at("outcome"), "ok");
  EXPECT_THAT(record.at("error").at("message").get<std::string>(),
              testing::AllOf(HasSubstr("rank 1 on "), HasSubstr("/nowhere")));
}

TEST_F(RankRuns, ARankThatDiesEndsItsRunOnly) {
  const auto begin = std::chrono::steady_clock::now();
  const json record = run({"--ranks", "2", "--repetitions", "100000", "--launcher",
                           launcher("echo these are my last words >&2\n"
                                    "(sleep 2; kill -KILL $$) &")},
                          3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 14s);
  expect_failure(record, "error", "rank_died", "rank 1 on ");
  expect_failure(record, "error", "rank_died", "signal 9");
  expect_failure(record, "error", "rank_died", "these are my last words");
  EXPECT_GT(record.at("samples").size(), 0U) << "what it had sent stays";
}

TEST_F(RankRuns, ARankThatHangsRunsOutOfTime) {
  const json record = run({"--ranks", "2", "--repetitions", "100000", "--timeout", "4",
                           "--launcher", launcher("(sleep 2; kill -STOP $$) &")},
                          3);
  EXPECT_EQ(record.at("outcome"), "timeout");
}

TEST_F(RankRuns, TheHostMemoryLimitHoldsForEveryRank) {
  const json record =
      run({"--ranks", "2", "--repetitions", "100000", "--host-memory-limit", "1MiB"}, 3);
  expect_failure(record, "oom_host", "host_memory_limit", "rank ");
}

TEST_F(RankRuns, NoRankOutlivesTheSupervisor) {
  Running running(folder_, command({"--ranks", "2", "--repetitions", "1000000"}));
  const auto name_of = [](pid_t process) {
    std::string name = read_text("/proc/" + std::to_string(process) + "/comm");
    return name.substr(0, name.find('\n'));
  };
  std::vector<pid_t> ranks;
  for (int patience = 0; patience < 200 && ranks.size() < 2; ++patience) {
    std::this_thread::sleep_for(100ms);
    ranks.clear();
    for (const pid_t process : process_tree(running.pid())) {
      if (name_of(process) == "lufact-rank") ranks.push_back(process);
    }
  }
  ASSERT_EQ(ranks.size(), 2U);
  std::this_thread::sleep_for(1s);
  kill(running.pid(), SIGKILL);
  running.wait();
  const auto alive = [&] {
    return std::ranges::any_of(ranks, [&](pid_t rank) { return name_of(rank) == "lufact-rank"; });
  };
  for (int patience = 0; patience < 50 && alive(); ++patience) std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(alive());
}

TEST_F(RankRuns, TurnsInterleaveWithAVariantThatIsAlone) {
  const json config{
      {"name", "turns"},
      {"purpose", "a test"},
      {"options", {{"repetitions", 3}, {"until", "symbolic"}}},
      {"matrices", {{{"file", matrix_}, {"name", "m"}}}},
      {"variants",
       {{{"name", "alone"}, {"mode", "cpu"}, {"options", {{"symbolic", "cpu-fill2"}}}},
        {{"name", "shared"},
         {"mode", "cpu"},
         {"options", {{"symbolic", "cpu-fill2"}, {"ranks", 2}}}}}}};
  std::ofstream(folder_ / "config.json") << config.dump();
  const Outcome outcome =
      run_program({"sweep", "--config", folder_ / "config.json", "--output-dir", folder_ / "out"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json runs = read_json(folder_ / "out/turns.json").at("runs");
  ASSERT_EQ(runs.size(), 2U);
  for (const json& one : runs) EXPECT_EQ(one.at("samples").size(), 3U) << one.at("error");
  EXPECT_EQ(runs[0].at("factors").at("pattern_sha256"), runs[1].at("factors").at("pattern_sha256"));
}

TEST_F(RankRuns, ALauncherThatIsMissingFailsOrStartsTooFew) {
  expect_failure(run({"--ranks", "2", "--launcher", "no-such-launcher {ranks}"}, 3), "unsupported",
                 "no_launcher", "'no-such-launcher'");
  write_script("fail.sh", "echo there is no room today >&2\nexit 5\n");
  expect_failure(run({"--ranks", "2", "--launcher", (folder_ / "fail.sh") + " {ranks}"}, 3),
                 "unsupported", "launch_failed", "there is no room today");
  write_script("fewer.sh", "shift\nexec mpirun -n 1 \"$@\"\n");
  expect_failure(run({"--ranks", "2", "--launcher", (folder_ / "fewer.sh") + " {ranks}"}, 3),
                 "error", "wrong_ranks", "started 1 ranks");
}

TEST_F(RankRuns, RowsOfTheHostGoInMessagesOfMpi) {
  for (const char* exchange : {"auto", "mpi"}) {
    const json record = run({"--ranks", "2", "--repetitions", "1", "--exchange", exchange});
    EXPECT_EQ(record.at("distribution").at("transport"), "mpi");
  }
  const Outcome outcome = run_program(command({"--ranks", "2", "--exchange", "nccl"}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("accepted: auto, mpi"));
}

TEST_F(RankRuns, SeveralSupervisorsAreRefused) {
  const Variable several("OMPI_COMM_WORLD_SIZE", "2");
  const Outcome outcome = run_program(command({}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--ranks 2"));
}

}  // namespace
}  // namespace lufact::test
