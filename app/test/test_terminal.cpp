// SPDX-License-Identifier: BSD-3-Clause
// What people see of runs: tables, messages, progress and colours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/pseudo_terminal.hpp"
#include "core/report/result_text.hpp"

namespace lufact::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

// What a busy host makes lufact say is as long as it is.
std::vector<std::string> without_warnings(std::vector<std::string> lines) {
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("lufact: "); });
  return lines;
}

class Terminal : public testing::Test {
 protected:
  // An external solver of the system of known_system() that takes `seconds`.
  std::string slow_solver(const std::string& seconds) {
    const std::string path = folder_ / "slow.sh";
    std::ofstream(path)
        << "#!/bin/sh\nsleep " << seconds
        << "\necho numeric_s 0.5\nprintf '2\\n2\\n' > \"$2\"\necho solution \"$2\"\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return "exec:" + path + " {matrix} {solution}";
  }
  std::vector<std::string> known_system(const std::vector<std::string>& more) {
    std::ofstream(folder_ / "d.mtx") << "%%MatrixMarket matrix coordinate real general\n"
                                        "2 2 2\n1 1 2\n2 2 4\n";
    std::ofstream(folder_ / "b.txt") << "4\n8\n";
    std::vector<std::string> words{
        "run", "--matrix", folder_ / "d.mtx", "--rhs-file", folder_ / "b.txt", "--warmup", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string grid(const std::string& name, const std::string& size) {
    return generate(folder_, name, {"grid2d", "--nx", size, "--ny", size});
  }

  TemporaryFolder folder_;
};

TEST_F(Terminal, HasColoursThatCanBeTurnedOff) {
  const std::vector<std::string> run = known_system({"--mode", "cpu"});
  // Green, or on a busy host yellow with its warnings.
  EXPECT_THAT(run_on_terminal(run, {}).bytes, testing::ContainsRegex("\033\\[3[23]mok"));
  for (const std::pair<std::string, std::string> off :
       {std::pair("NO_COLOR", "1"), std::pair("CLICOLOR", "0"), std::pair("TERM", "dumb")}) {
    const OnTerminal shown = run_on_terminal(run, {off});
    EXPECT_EQ(shown.status, 0) << off.first;
    EXPECT_THAT(shown.bytes, AllOf(HasSubstr("ok"), Not(HasSubstr("\033[")))) << off.first;
  }
  EXPECT_THAT(run_program(run).out, AllOf(HasSubstr("ok"), Not(HasSubstr("\033["))));
}

TEST_F(Terminal, HasALineOfProgressThatGoesAway) {
  const auto shown = run_on_terminal(
      known_system({"--mode", "none", "--peer", slow_solver("0.6"), "--repetitions", "4"}), {});
  EXPECT_EQ(shown.status, 0) << shown.bytes;
  EXPECT_THAT(shown.bytes, testing::ContainsRegex("d: .*, repetition [234] of 4"));
  EXPECT_THAT(shown.bytes, testing::ContainsRegex("; about [0-9.]+ s left"));
  EXPECT_THAT(screen_of(shown.bytes),
              Each(AllOf(Not(HasSubstr("repetition")), Not(HasSubstr("left")))));
  EXPECT_THAT(without_warnings(screen_of(shown.bytes)).front(), HasSubstr("d  n 2  nnz 2"));
}

TEST_F(Terminal, HasNoProgressWhereNobodyLooks) {
  const std::vector<std::string> run =
      known_system({"--mode", "none", "--peer", slow_solver("0.6"), "--repetitions", "3"});
  EXPECT_THAT(run_program(run).err, Not(HasSubstr("repetition")));
  std::vector<std::string> quiet = run;
  quiet.push_back("--quiet");
  EXPECT_EQ(run_on_terminal(quiet, {}).bytes, "");
}

// A table is as wide as the terminal.
TEST_F(Terminal, HasItsWidth) {
  const std::vector<std::string> run = known_system({"--mode", "cpu,glu3-cpu,fast-cpu"});
  using Width = unsigned short;
  for (const Width width : {Width{60}, Width{200}}) {
    const auto screen =
        without_warnings(screen_of(run_on_terminal(run, {{"NO_COLOR", "1"}}, width).bytes));
    const bool together = std::ranges::any_of(screen, [](const std::string& line) {
      return line.find("cpu") != std::string::npos && line.find("fast-cpu") != std::string::npos &&
             line.find("glu3-cpu") != std::string::npos && line.find("times") == std::string::npos;
    });
    EXPECT_EQ(together, width == 200) << width;
    for (const std::string& line : screen) EXPECT_LE(line.size(), width) << line;
  }
}

// The first table is there while the second input is still at work.
TEST_F(Terminal, HasATableAsSoonAsItsInputIsDone) {
  const std::string first = grid("first.mtx", "5"), second = grid("second.mtx", "6");
  const std::string solver = folder_ / "wait.sh";
  std::ofstream(solver) << "#!/bin/sh\nif grep -q '^36 36 ' \"$1\"; then\n"
                           "  while [ ! -e '"
                        << (folder_ / "go") << "' ]; do sleep 0.05; done\nfi\necho numeric_s 0.5\n";
  std::filesystem::permissions(solver, std::filesystem::perms::owner_all);
  Running running(folder_, {"run", "--matrix", first + "," + second, "--mode", "none", "--peer",
                            "exec:" + solver + " {matrix}", "--repetitions", "1", "--warmup", "0"});
  const auto printed = [&] { return read_text(folder_ / "stdout"); };
  for (int k = 0; k < 600 && printed().empty(); ++k) usleep(50000);
  const std::string before = printed();
  std::ofstream(folder_ / "go") << "\n";
  const Outcome outcome = running.wait();
  EXPECT_THAT(before, AllOf(HasSubstr("first"), HasSubstr("verdict"), Not(HasSubstr("second"))));
  EXPECT_TRUE(outcome.out.starts_with(before));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("second"), HasSubstr("Totals")));
}

TEST_F(Terminal, TellsWarningsAtOnceAndInTheTable) {
  const Outcome outcome = run_program(known_system({"--mode", "cpu", "--verify", "none"}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("lufact: d cpu: warning unverified: run with --verify"));
  EXPECT_THAT(outcome.out, HasSubstr("ok (unverified"));
  const Outcome both =
      run_program(known_system({"--mode", "cpu,fast-cpu", "--verify", "none", "--quiet"}));
  EXPECT_EQ(both.err, "");
  EXPECT_EQ(both.out, "");
}

class Show : public Terminal {
 protected:
  void SetUp() override {
    result_ = folder_ / "r.json.xz";
    const Outcome outcome =
        run_program({"run", "--matrix", grid("a.mtx", "8") + "," + grid("b.mtx", "9"), "--mode",
                     "cpu,fast-cpu", "--refactor", "5", "--output", result_});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    live_ = outcome.out;
  }
  Outcome show(std::vector<std::string> options) {
    options.insert(options.begin(), {"show", result_});
    return run_program(options);
  }

  std::string result_, live_;
};

TEST_F(Show, PrintsWhatTheRunPrinted) {
  const Outcome outcome = show({});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(live_), HasSubstr("r.json.xz\n"), HasSubstr("commit"),
                                 HasSubstr("Geometric means"), HasSubstr("refactorization")));
}

TEST_F(Show, GroupsByVariant) {
  const Outcome outcome = show({"--group", "variant", "--format", "md"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("### fast-cpu\n"), HasSubstr("| a | 64 | 288 |"),
                                 HasSubstr("| geometric mean |"), HasSubstr("refactor total")));
}

TEST_F(Show, WritesWhatOthersRead) {
  EXPECT_TRUE(show({"--format", "html"}).out.starts_with("<!DOCTYPE html>"));
  const std::string csv = show({"--format", "csv"}).out;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 5);
  const nlohmann::json gbench = nlohmann::json::parse(show({"--format", "gbench"}).out);
  EXPECT_EQ(gbench.at("benchmarks").at(0).at("name"), "a/cpu/total");
  const nlohmann::ordered_json result = read_result_json(result_);
  EXPECT_EQ(gbench.at("benchmarks").at(0).at("real_time").get<double>(),
            1e3 * result.at("runs").at(0).at("samples").at(0).at("total_s").get<double>());
}

TEST_F(Show, RefusesWhatItCannotDo) {
  EXPECT_EQ(show({"--format", "csv", "--group", "variant"}).status, 2);
  EXPECT_EQ(show({result_, "--format", "gbench"}).status, 2);
  EXPECT_EQ(show({"--format", "pdf"}).status, 2);
  std::ofstream(folder_ / "other.json") << "{}";
  const Outcome outcome = run_program({"show", folder_ / "other.json"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("other.json"), HasSubstr("no result file")));
}

TEST_F(Show, ReadsABatch) {
  const std::string batch = folder_ / "batch.json";
  const Outcome outcome = run_program(
      {"batch", "--size", "4,8", "--count", "50", "--variant", "cpu", "--output", batch});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(run_program({"show", batch}).out,
              AllOf(HasSubstr(outcome.out), HasSubstr("Gflop/s"), HasSubstr("Totals")));
}

}  // namespace
}  // namespace lufact::test
