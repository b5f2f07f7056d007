// SPDX-License-Identifier: BSD-3-Clause
// A terminal that hangs up, and `lufact run --resume`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>

#include "app/test/long_run.hpp"

namespace lufact::test {
namespace {

using testing::HasSubstr;

TEST(HangUp, ATerminalThatHangsUpLeavesAValidFile) {
  const TemporaryFolder folder;
  const std::string small = generate(folder, "small.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  const std::string binary = located(LUFACT_BINARY_VARIABLE, LUFACT_BINARY);
  const std::string matrices = small + "," + large_matrix(folder);
  int terminal = -1;
  const pid_t program = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (program == 0) {
    execl(binary.c_str(), "lufact", "run", "--matrix", matrices.c_str(), "--mode", "cpu",
          "--repetitions", "40", "--output", output.c_str(), nullptr);
    _exit(127);
  }
  ASSERT_GT(busy_worker(program), 0);
  close(terminal);  // as when a connection drops; writing to the terminal fails from now on
  int status = 0;
  waitpid(program, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  const auto runs = checked_result(output).at("runs");
  EXPECT_EQ(runs.at(0).at("outcome"), "ok");
  EXPECT_EQ(runs.back().at("error").at("code"), "interrupted");
}

TEST(HangUp, AHangUpThatIsIgnoredStaysIgnored) {
  const TemporaryFolder folder;
  signal(SIGHUP, SIG_IGN);  // as nohup does
  Running running(folder, {"run", large_matrix(folder), "--mode", "cpu", "--repetitions", "1",
                           "--warmup", "0"});
  signal(SIGHUP, SIG_DFL);
  ASSERT_GT(busy_worker(running.pid()), 0);
  kill(running.pid(), SIGHUP);
  EXPECT_EQ(running.wait().status, 0);
}

// What --resume would go on with.
TEST(Journal, HasEachRunOnce) {
  const TemporaryFolder folder;
  const std::string small = generate(folder, "small.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  Running running(folder, {"run", small + "," + large_matrix(folder), "--mode", "cpu",
                           "--repetitions", "40", "--output", folder / "out.json"});
  ASSERT_GT(busy_worker(running.pid()), 0);
  kill(running.pid(), SIGKILL);
  running.wait();
  std::ifstream journal(folder / "out.jsonl");
  std::vector<std::string> inputs;
  for (std::string line; std::getline(journal, line);) {
    inputs.push_back(nlohmann::json::parse(line).at("input").at("name"));
  }
  EXPECT_THAT(inputs, testing::ElementsAre("small"));
}

class Resume : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a.mtx", "b.mtx"}) {
      matrices_.push_back(
          generate(folder_, name, {"grid2d", "--nx", "9", "--ny", name[0] == 'a' ? "8" : "9"}));
    }
    ASSERT_EQ(run().status, 0);
    whole_ = checked_result(output_);
    ASSERT_EQ(whole_.at("runs").size(), 4u);
  }

  Outcome run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"run",    matrices_[0],   matrices_[1],
                                   "--mode", "cpu,fast-cpu", "--repetitions",
                                   "2",      "--output",     output_};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }

  // As after kill -9: the first `count` runs stand in the journal, there is no file.
  void leave_journal_of(std::size_t count) const {
    std::filesystem::remove(output_);
    std::ofstream journal(folder_ / "out.jsonl");
    for (std::size_t k = 0; k < count; ++k) journal << whole_.at("runs").at(k).dump() << "\n";
    journal << R"({"id": "cut sh)";
  }

  nlohmann::json samples(std::size_t k) const {
    return checked_result(output_).at("runs").at(k).at("samples");
  }

  TemporaryFolder folder_;
  std::string output_ = folder_ / "out.json";
  std::vector<std::string> matrices_;
  nlohmann::json whole_;
};

TEST_F(Resume, GoesOnWithTheJournalOfARunThatWasKilled) {
  leave_journal_of(3);  // the second matrix lacks a run, so both of its runs take turns again
  const Outcome outcome = run({"--resume"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("2 runs are done already"));
  ASSERT_EQ(checked_result(output_).at("runs").size(), 4u);
  EXPECT_EQ(samples(0), whole_.at("runs").at(0).at("samples"));
  EXPECT_EQ(samples(1), whole_.at("runs").at(1).at("samples"));
  EXPECT_NE(samples(2), whole_.at("runs").at(2).at("samples"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.jsonl"));
}

TEST_F(Resume, MakesNothingAgainOfAWholeFile) {
  const Outcome outcome = run({"--resume"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("4 runs are done already"));
  EXPECT_EQ(samples(3), whole_.at("runs").at(3).at("samples"));
}

TEST_F(Resume, SetsAsideWhatAnotherCommandLineMade) {
  const Outcome outcome = run({"--resume", "--seed", "7"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err,
              testing::AllOf(HasSubstr("0 runs are done already"), HasSubstr("out.json.previous")));
  EXPECT_EQ(read_json(folder_ / "out.json.previous").at("runs"), whole_.at("runs"));
  EXPECT_NE(samples(0), whole_.at("runs").at(0).at("samples"));
}

TEST_F(Resume, MakesAgainWhatWasInterrupted) {
  nlohmann::json interrupted = whole_;
  interrupted["runs"][1]["outcome"] = "error";
  interrupted["runs"][1]["error"] = {{"code", "interrupted"}, {"message", "x"}, {"phase", nullptr}};
  std::ofstream(output_) << interrupted;
  const Outcome outcome = run({"--resume"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("2 runs are done already"));
  EXPECT_EQ(samples(2), whole_.at("runs").at(2).at("samples"));
}

TEST_F(Resume, NeedsAFile) {
  const Outcome outcome = run_program({"run", matrices_[0], "--resume"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("name it with --output"));
}

}  // namespace
}  // namespace lufact::test
