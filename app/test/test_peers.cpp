// SPDX-License-Identifier: BSD-3-Clause
// `lufact run --peer` from the outside: foreign solvers beside ours, and what their accidents cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "app/test/command_line.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using testing::HasSubstr;

class Peers : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = located("LUFACT_TEST_PEERS", LUFACT_TEST_PEERS);
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no plug-ins for tests in " << path;
    setenv("LUFACT_PEER_PATH", path.c_str(), 1);
    matrix_ = generate(folder_, "r.mtx", {"random", "--n", "60"});
  }

  nlohmann::json run(const std::vector<std::string>& options, int status) {
    const std::string output = folder_ / "out.json";
    std::vector<std::string> arguments{"run", "--matrix", matrix_, "--output", output};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err << outcome.out;
    out_ = outcome.out;
    err_ = outcome.err;
    const nlohmann::json result = read_json(output);
    EXPECT_THAT(schema_violations(result), testing::IsEmpty());
    EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty());
    return result;
  }

  // An executable shell script.
  std::string program(const std::string& name, const std::string& body) {
    const std::string path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << body;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }

  // Matrix and right-hand side of a system whose solution every program here can write down.
  std::vector<std::string> known_system() {
    std::ofstream(folder_ / "d.mtx") << "%%MatrixMarket matrix coordinate real general\n"
                                        "2 2 2\n1 1 2\n2 2 4\n";
    std::ofstream(folder_ / "b.txt") << "4\n8\n";
    matrix_ = folder_ / "d.mtx";
    return {"--rhs-file", folder_ / "b.txt", "--mode", "none", "--warmup", "0"};
  }

  nlohmann::json run_external(const std::string& command, int status,
                              std::vector<std::string> more = {}) {
    std::vector<std::string> options = known_system();
    options.insert(options.end(), {"--peer", "exec:" + command});
    options.insert(options.end(), more.begin(), more.end());
    return run(options, status).at("runs").at(0);
  }

  TemporaryFolder folder_;
  std::string matrix_, out_, err_;
};

std::vector<std::string> names_of(const nlohmann::json& phases) {
  std::vector<std::string> names;
  for (const auto& phase : phases) names.push_back(phase.at("name"));
  return names;
}

TEST_F(Peers, RunBesideOurModesAndAreCompared) {
  const auto result = run({"--mode", "cpu", "--peer", "fake,fake-columns", "--refactor", "2"}, 0);
  ASSERT_EQ(result.at("runs").size(), 3u);
  const auto& peer = result.at("runs").at(1);
  EXPECT_EQ(peer.at("mode"), "peer");
  EXPECT_EQ(peer.at("pipeline").at("peer"), "fake");
  EXPECT_EQ(peer.at("peer").at("version"), "3.1.4");
  EXPECT_EQ(peer.at("samples").size(), 5u);
  EXPECT_EQ(peer.at("refactor_samples").size(), 2u);
  EXPECT_THAT(names_of(peer.at("setup").at("phases")), testing::ElementsAre("init", "read"));
  EXPECT_THAT(names_of(peer.at("samples").at(0).at("phases")),
              testing::ElementsAre("transfer", "order", "numeric", "solve", "verify"));
  EXPECT_THAT(names_of(peer.at("refactor_samples").at(0).at("phases")),
              testing::ElementsAre("transfer", "numeric", "solve", "verify"));
  EXPECT_EQ(peer.at("factors").at("nnz_u"), 60 * 61 / 2);
  const auto& ours = result.at("runs").at(0);
  EXPECT_TRUE(ours.at("peer").is_null());
  std::set<std::string> compared;
  for (const auto& comparison : result.at("comparisons")) {
    EXPECT_EQ(comparison.at("base_id"), ours.at("id"));
    if (comparison.at("phase") != "total_s") continue;
    compared.insert(comparison.at("id"));
    EXPECT_FALSE(comparison.at("ci_low").is_null());
  }
  EXPECT_EQ(compared.size(), 2u);
  EXPECT_THAT(out_, testing::AllOf(HasSubstr("fake-columns"), HasSubstr("times as fast as")));
}

TEST_F(Peers, TakeManySystemsTogetherOrSayThatTheyDoNot) {
  const auto result = run({"--mode", "fast-cpu", "--peer", "fake,fakealone", "--systems", "6",
                           "--threads", "2", "--refactor", "2"},
                          3);
  ASSERT_EQ(result.at("runs").size(), 3u);
  const auto &ours = result.at("runs").at(0), &fake = result.at("runs").at(1);
  for (const auto* run : {&ours, &fake}) {
    EXPECT_EQ(run->at("outcome"), "ok");
    EXPECT_EQ(run->at("systems").at("count"), 6);
    EXPECT_EQ(run->at("verification").at("matrices_checked"), 6);
    EXPECT_GT(run->at("systems").at("systems_per_s"), 0);
  }
  const auto& alone = result.at("runs").at(2);
  EXPECT_EQ(alone.at("outcome"), "unsupported");
  EXPECT_EQ(alone.at("error").at("code"), "one_system");
  EXPECT_THAT(out_, HasSubstr("fake (6 systems)"));
}

TEST_F(Peers, OnADeviceRefactorWithPageLockedArraysOrAWarning) {
  const bool device =
      !nlohmann::json::parse(run_program({"doctor", "--json"}).out).at("device").is_null();
  const auto result =
      run({"--mode", "cpu", "--peer", "fake-device,fake", "--refactor", "2", "--warmup", "0"}, 0);
  ASSERT_EQ(result.at("runs").size(), 3u);
  for (const auto& run : result.at("runs")) {
    const bool on_device = run.at("pipeline").at("peer") == "fake-device";
    EXPECT_EQ(run.at("outcome"), "ok");
    EXPECT_EQ(run.at("warnings").dump().find("pageable_copies") != std::string::npos,
              on_device && !device);
  }
}

TEST_F(Peers, OnOneThreadOfSeveralAreWarnedOf) {
  const auto result = run({"--mode", "none", "--peer", "fakealone,fake", "--threads", "2"}, 0);
  ASSERT_EQ(result.at("runs").size(), 2u);
  const auto& warnings = result.at("runs").at(0).at("warnings");
  const auto alone = std::ranges::find_if(
      warnings, [](const auto& warning) { return warning.at("code") == "peer_on_one_thread"; });
  ASSERT_NE(alone, warnings.end()) << warnings;
  EXPECT_EQ(alone->at("message"),
            "fake uses one of the 2 host threads that it may use: its threads are missing");
  EXPECT_THAT(err_, HasSubstr("warning peer_on_one_thread: fake uses one of the 2"));
  EXPECT_THAT(result.at("runs").at(1).at("warnings").dump(),
              testing::Not(HasSubstr("peer_on_one_thread")));
  run({"--mode", "none", "--peer", "fakealone", "--threads", "1"}, 0);
  EXPECT_THAT(err_, testing::Not(HasSubstr("peer_on_one_thread")));
}

TEST_F(Peers, OnOneThreadOfSeveralAreToldByDoctor) {
  setenv("OMP_NUM_THREADS", "2", 1);
  const auto doctor = nlohmann::json::parse(run_program({"doctor", "--json"}).out);
  const std::string text = run_program({"doctor"}).out;
  unsetenv("OMP_NUM_THREADS");
  for (const auto& peer : doctor.at("peers")) {
    if (peer.at("name") != "fakealone") continue;
    EXPECT_TRUE(peer.at("can_run").get<bool>());
    EXPECT_THAT(peer.at("warnings").dump(), HasSubstr("uses one of the 2 host threads"));
  }
  EXPECT_THAT(text, HasSubstr("fakealone warning: fake uses one of the 2 host threads"));
}

TEST_F(Peers, AreJudgedByTheSolutionAndNotByTheirWord) {
  const auto result = run({"--mode", "none", "--peer", "fake-wrong,fake-silent"}, 3);
  ASSERT_EQ(result.at("runs").size(), 2u);
  for (const auto& run : result.at("runs")) {
    EXPECT_EQ(run.at("outcome"), "inaccurate");
    EXPECT_THAT(run.at("error").at("message"), HasSubstr("reported success"));
    EXPECT_FALSE(run.at("verification").at("passed").get<bool>());
    EXPECT_EQ(run.at("samples").size(), 5u);
  }
}

TEST_F(Peers, ATurnBeginsWhenTheThreadsOfTheOneBeforeSleep) {
  const auto begin = std::chrono::steady_clock::now();
  run({"--mode", "none", "--peer", "fake-spin,fake", "--warmup", "0", "--repetitions", "3"}, 0);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(elapsed.count(), 2 * 0.3);  // after the last repetition the process is ended
}

TEST_F(Peers, AnAccidentCostsItsOwnRecordOnly) {
  const auto result = run({"--mode", "cpu", "--peer",
                           "fake-crash,fakecrash,fakeabi,fake-absent,fake-singular,fake-memory,"
                           "fake-hang,fake",
                           "--timeout", "5", "--warmup", "0"},
                          3);
  std::vector<std::string> outcomes;
  for (const auto& run : result.at("runs")) outcomes.push_back(run.at("outcome"));
  EXPECT_THAT(outcomes, testing::ElementsAre("ok", "error", "error", "unsupported", "unsupported",
                                             "singular_numeric", "oom_host", "timeout", "ok"));
  EXPECT_THAT(result.at("runs").at(1).at("error").at("message"), HasSubstr("signal 6"));
  EXPECT_THAT(result.at("runs").at(3).at("error").at("message"), HasSubstr("version 2"));
  EXPECT_THAT(result.at("runs").at(4).at("error").at("message"), HasSubstr("libfake.so.3"));
  EXPECT_EQ(result.at("runs").at(4).at("error").at("phase"), "init");
  EXPECT_EQ(result.at("runs").at(5).at("error").at("phase"), "numeric");
}

TEST_F(Peers, AMissingPluginIsUnsupportedAndSaysHowToGetIt) {
  const auto list = nlohmann::json::parse(run_program({"list", "--json"}).out);
  for (const auto& peer : list.at("peers")) {
    if (peer.at("reason").is_null()) continue;
    const std::string reason = peer.at("reason");
    if (reason.find("the plug-in lufact_peer_") == std::string::npos) continue;
    const auto run = this->run({"--mode", "none", "--peer", peer.at("name")}, 3).at("runs").at(0);
    EXPECT_EQ(run.at("outcome"), "unsupported");
    EXPECT_EQ(run.at("error").at("code"), "peer_unavailable");
    EXPECT_EQ(run.at("error").at("message"), reason);
    EXPECT_THAT(reason, testing::ContainsRegex("`(cmake|apt-get install|python3) "));
    return;
  }
  GTEST_SKIP() << "every plug-in that lufact knows is here";
}

TEST_F(Peers, WrongNamesAreWrongUsage) {
  const std::vector<std::vector<std::string>> wrong{
      {"--peer", "nobody"},
      {"--peer", "fake-blue"},
      {"--peer", "exec:"},
      {"--mode", "none"},
      {"--mode", "none,cpu", "--peer", "fake"},
      {"--mode", "cpu", "--peer", "fake", "--until", "numeric"},
      {"--mode", "cpu", "--peer", "fake", "--write-solution", folder_ / "x.mtx"}};
  for (auto options : wrong) {
    options.insert(options.begin(), {"run", "--matrix", matrix_});
    const Outcome outcome = run_program(options);
    EXPECT_EQ(outcome.status, 2) << testing::PrintToString(options) << outcome.err;
  }
  EXPECT_THAT(run_program({"run", "--matrix", matrix_, "--peer", "nobody"}).err,
              testing::AllOf(HasSubstr("klu"), HasSubstr("exec:COMMAND")));
  EXPECT_THAT(run_program({"run", "--matrix", matrix_, "--peer", "fake-blue"}).err,
              HasSubstr("fake-columns"));
}

TEST_F(Peers, AreListedWithTheirVariants) {
  const auto list = nlohmann::json::parse(run_program({"list", "--json"}).out);
  std::vector<std::string> names;
  for (const auto& peer : list.at("peers")) {
    names.push_back(peer.at("name"));
    EXPECT_EQ(peer.at("can_run").get<bool>(), peer.at("reason").is_null()) << peer;
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"klu", "umfpack", "pardiso", "cudss", "fake",
                                            "fake-columns", "fakeabi", "fakecrash"}));
  const auto doctor = nlohmann::json::parse(run_program({"doctor", "--json"}).out);
  EXPECT_GE(doctor.at("peers").size(), 5u);
  EXPECT_THAT(run_program({"doctor"}).out, HasSubstr("peer"));
}

TEST_F(Peers, WriteTheirSolution) {
  run({"--mode", "none", "--peer", "fake", "--write-solution", folder_ / "x.mtx"}, 0);
  EXPECT_THAT(read_text(folder_ / "x.mtx"), HasSubstr("60 1"));
}

TEST_F(Peers, AnExternalProgramIsVerifiedWhereItGivesASolution) {
  const std::string right = program("right.sh",
                                    "echo some talk\n"
                                    "echo symbolic_s 0.25\necho numeric_s 0.5\n"
                                    "echo nnz_l 0\necho nnz_u 2\necho levels 1\n"
                                    "echo library Fake Solver\necho version 7\n"
                                    "echo setting ordering natural\n"
                                    "printf '2\\n2\\n' > \"$2\"\necho solution \"$2\"\n");
  const auto run = run_external(right + " {matrix} {solution}", 0);
  EXPECT_EQ(run.at("outcome"), "ok");
  EXPECT_TRUE(run.at("verification").at("passed").get<bool>());
  EXPECT_EQ(run.at("samples").size(), 5u);
  EXPECT_EQ(run.at("samples").at(0).at("total_s"), 0.75);
  EXPECT_EQ(run.at("factors").at("levels"), 1);
  EXPECT_TRUE(run.at("factors").at("flops").is_null());
  EXPECT_EQ(run.at("peer").at("library"), "Fake Solver");
  EXPECT_EQ(run.at("peer").at("settings").at("ordering"), "natural");
  const std::string wrong =
      program("wrong.sh", "printf '2\\n3\\n' > x.txt\necho solution $PWD/x.txt\necho solve_s 1\n");
  const auto lie = run_external("cd " + folder_.path() + " && " + wrong, 3);
  EXPECT_EQ(lie.at("outcome"), "inaccurate");
}

TEST_F(Peers, AnExternalProgramWithoutASolutionIsUnverified) {
  const auto run = run_external("true", 0);
  EXPECT_EQ(run.at("verification").at("method"), "none");
  EXPECT_TRUE(run.at("samples").empty());
  std::vector<std::string> codes;
  for (const auto& warning : run.at("warnings")) codes.push_back(warning.at("code"));
  // A busy host has warnings of its own.
  EXPECT_THAT(codes, testing::IsSupersetOf({"no_times", "unverified"}));
}

TEST_F(Peers, AnExternalProgramMayCrashHangOrTalkNonsense) {
  const auto crash = run_external("kill -SEGV $$; :", 3);
  EXPECT_EQ(crash.at("outcome"), "error");
  EXPECT_THAT(crash.at("error").at("message"), HasSubstr("signal 11"));
  const auto loud = run_external("echo out of luck >&2; exit 3; :", 3);
  EXPECT_THAT(loud.at("error").at("message"),
              testing::AllOf(HasSubstr("exit status 3"), HasSubstr("out of luck")));
  const auto slow = run_external("sleep 600; :", 3, {"--timeout", "1"});
  EXPECT_EQ(slow.at("outcome"), "timeout");
  const auto absent = run_external(folder_ / "absent", 3);
  EXPECT_EQ(absent.at("outcome"), "unsupported");
  const auto nonsense = run_external("echo numeric_s quick; :", 3);
  EXPECT_EQ(nonsense.at("error").at("code"), "bad_answer");
  const auto honest = run_external("echo outcome singular_numeric; echo message zero pivot; :", 3);
  EXPECT_EQ(honest.at("outcome"), "singular_numeric");
  EXPECT_THAT(honest.at("error").at("message"), HasSubstr("zero pivot"));
}

TEST_F(Peers, AnExternalProgramLeavesNoFilesHoweverItEnds) {
  const std::filesystem::path scratch = folder_ / "scratch";
  std::filesystem::create_directory(scratch);
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", scratch.c_str(), 1);
  run_external("ls {matrix} >&2; echo numeric_s 1; :", 0);
  run_external("exit 3; :", 3);
  run_external("sleep 600; :", 3, {"--timeout", "1"});
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_TRUE(std::filesystem::is_empty(scratch));
}

TEST_F(Peers, AnExternalProgramIsGivenWhatItsCommandNames) {
  const std::string tell =
      program("tell.sh",
              "head -1 \"$1\" >&2; grep -v '^%' \"$2\" | head -1 | sed 's/^/setting pattern /'\n"
              "grep -v '^%' \"$3\" | head -1 | sed 's/^/setting rhs /'\necho setting threads $4\n"
              "echo setting commas $5\n");
  std::vector<std::string> options{
      "--mode", "none",   "--threads",
      "2",      "--peer", "exec:" + tell + " {matrix} {pattern} {rhs} {threads} a,b"};
  const auto settings = run(options, 0).at("runs").at(0).at("peer").at("settings");
  EXPECT_THAT(settings.at("pattern"), testing::StartsWith("60 60 "));
  EXPECT_EQ(settings.at("rhs"), "60 1");
  EXPECT_EQ(settings.at("threads"), "2");
  EXPECT_EQ(settings.at("commas"), "a,b");
}

}  // namespace
}  // namespace lufact::test
