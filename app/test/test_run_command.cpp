// SPDX-License-Identifier: BSD-3-Clause
// `lufact run` from the outside: exit statuses, records, and what an accident costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "app/test/long_run.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(RunCommand, FactorsVerifiesAndRecords) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "20", "--ny", "15"});
  const std::string output = folder / "out.json";
  const Outcome outcome = run_program({"run", "--matrix", matrix, "--mode", "cpu", "--output",
                                       output, "--refactor", "2", "--verify", "full"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("grid"));
  const auto run = checked_result(output).at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "ok");
  EXPECT_EQ(run.at("matrix").at("n"), 300);
  EXPECT_EQ(run.at("matrix").at("generator").at("kind"), "grid2d");
  EXPECT_EQ(run.at("samples").size(), 5u);
  EXPECT_EQ(run.at("refactor_samples").size(), 2u);
  EXPECT_LE(run.at("verification").at("backward_error").get<double>(), 1e-13);
  EXPECT_EQ(run.at("pipeline").at("symbolic"), "cpu-gp-pruned");
  EXPECT_FALSE(std::filesystem::exists(folder / "out.jsonl"));
}

TEST(RunCommand, GivesTheSameBitsForEveryThreadCount) {
  const TemporaryFolder folder;
  // Large enough that the numeric stage does use the threads.
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "120", "--ny", "120"});
  std::set<std::string> values, patterns, levels;
  for (const char* threads : {"1", "2", "16"}) {
    const std::string output = folder / std::string("t") + threads + ".json";
    const Outcome outcome =
        run_program({"run", "--matrix", matrix, "--mode", "cpu", "--threads", threads, "--warmup",
                     "0", "--repetitions", "1", "--output", output});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto factors = checked_result(output).at("runs").at(0).at("factors");
    values.insert(factors.at("values_sha256"));
    patterns.insert(factors.at("pattern_sha256"));
    levels.insert(factors.at("levels_sha256"));
  }
  EXPECT_EQ(values.size(), 1u);
  EXPECT_EQ(patterns.size(), 1u);
  EXPECT_EQ(levels.size(), 1u);
}

TEST(RunCommand, CountsNoPageFaultsOfAModeWithoutADevice) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  const Outcome outcome = run_program(
      {"run", "--matrix", matrix, "--mode", "cpu", "--output", output, "--count-page-faults"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(checked_result(output).at("runs").at(0).at("unified_memory").is_null());
}

TEST(RunCommand, CountsNoDeviceMemoryOfWhatUsesNoDevice) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  const Outcome outcome = run_program({"run", "--matrix", matrix, "--mode", "cpu", "--refactor",
                                       "1", "--output", output, "--count-device-memory"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto memory = checked_result(output).at("runs").at(0).at("memory");
  EXPECT_TRUE(memory.at("driver").is_null());
}

TEST(RunCommand, StopsWhereAskedAndVerifiesTheProduct) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "r.mtx", {"random", "--n", "40"});
  for (const char* until : {"order", "symbolic", "levelize", "numeric"}) {
    const std::string output = folder / std::string(until) + ".json";
    const Outcome outcome = run_program({"run", "--matrix", matrix, "--mode", "cpu", "--until",
                                         until, "--repetitions", "2", "--output", output});
    EXPECT_EQ(outcome.status, 0) << until << ": " << outcome.err << outcome.out;
    const auto run = checked_result(output).at("runs").at(0);
    EXPECT_EQ(run.at("until"), until);
    EXPECT_TRUE(run.at("verification").at("passed").get<bool>()) << until;
    EXPECT_FALSE(run.at("verification").at("method").get<std::string>().empty()) << until;
  }
}

TEST(RunCommand, InterleavesModesAndComparesThem) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "30", "--ny", "30"});
  const std::string output = folder / "out.json";
  // Two chains with the same pattern of L + U.
  const Outcome outcome =
      run_program({"run", "--matrix", matrix, "--mode", "cpu,glu3-cpu", "--output", output});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto result = checked_result(output);
  ASSERT_EQ(result.at("runs").size(), 2u);
  EXPECT_EQ(result.at("runs").at(0).at("factors").at("pattern_sha256"),
            result.at("runs").at(1).at("factors").at("pattern_sha256"));
  EXPECT_FALSE(result.at("comparisons").empty());
}

TEST(RunCommand, AnswersWrongUsageWithStatusTwoAndNoRecord) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "3", "--ny", "3"});
  const std::string output = folder / "out.json";
  const std::vector<std::vector<std::string>> wrong{
      {"run"},
      {"run", "--matrix", matrix, "--mode", "warp"},
      {"run", "--matrix", matrix, "--ordering", "alphabetical"},
      {"run", "--matrix", matrix, "--mode", "cpu", "--symbolic", "gpu-ooc", "--numeric", "none"},
      {"run", "--matrix", matrix, "--repetitions", "0"},
      {"run", "--matrix", matrix, "--device-memory-limit", "lots"},
      {"run", "--matrix", matrix, "--until", "tomorrow"},
      {"run", "--matrix", matrix, "--mode", "cpu", "--dependency", "glu1"},
      {"run", "--matrix", matrix, "--mode", "cpu", "--solve", "magic"},
      {"run", "--matrix", matrix, "--ordering", "file"},
      {"generate", "teapot", "--output", folder / "t.mtx"},
      {"fly"}};
  for (auto arguments : wrong) {
    if (arguments.size() > 1 && arguments[0] == "run") {
      arguments.insert(arguments.end(), {"--output", output});
    }
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.status, 2) << testing::PrintToString(arguments) << outcome.err;
    EXPECT_FALSE(outcome.err.empty()) << testing::PrintToString(arguments);
    EXPECT_FALSE(std::filesystem::exists(output));
  }
}

TEST(RunCommand, NeverCallsFactorsOfAnUnsafeScheduleOk) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "3", "--ny", "3"});
  const std::string output = folder / "out.json";
  for (const char* verify : {"residual", "none"}) {
    const Outcome outcome =
        run_program({"run", "--matrix", matrix, "--mode", "cpu", "--dependency", "glu1",
                     "--force-unsafe", "--verify", verify, "--output", output});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    const auto run = checked_result(output).at("runs").at(0);
    EXPECT_EQ(run.at("outcome"), "inaccurate");
    EXPECT_EQ(run.at("error").at("code"), "unsafe_schedule");
    EXPECT_THAT(run.at("warnings").dump(), HasSubstr("\"unsafe_schedule\""));
  }
}

TEST(RunCommand, NamesTheAcceptedValues) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "3", "--ny", "3"});
  EXPECT_THAT(run_program({"run", "--matrix", matrix, "--mode", "warp"}).err,
              testing::AllOf(HasSubstr("warp"), HasSubstr("cpu"), HasSubstr("ooc")));
  EXPECT_THAT(run_program({"run", "--matrix", matrix, "--ordering", "x"}).err,
              testing::AllOf(HasSubstr("--ordering"), HasSubstr("btf-amd")));
}

TEST(RunCommand, RecordsAMissingFileAndAnswersStatusFour) {
  const TemporaryFolder folder;
  const std::string output = folder / "out.json";
  const Outcome outcome =
      run_program({"run", "--matrix", folder / "absent.mtx", "--mode", "cpu", "--output", output});
  EXPECT_EQ(outcome.status, 4);
  const auto run = checked_result(output).at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "error");
  EXPECT_EQ(run.at("error").at("code"), "bad_matrix");
}

TEST(RunCommand, TellsErrorsOnStandardErrorUnderQuiet) {
  const TemporaryFolder folder;
  const std::string absent = folder / "absent.mtx", empty = folder / "empty.mtx";
  std::ofstream(empty) << "";
  for (const std::string& matrix : {absent, empty}) {
    const Outcome outcome =
        run_program({"run", "--matrix", matrix, "--mode", "cpu,fast-cpu", "--quiet"});
    EXPECT_EQ(outcome.status, 4);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr(matrix), HasSubstr("error in read")));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST(RunCommand, NamesTheVariantOfAnError) {
  const TemporaryFolder folder;
  const std::string matrix = folder / "singular.mtx";
  std::ofstream(matrix) << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 2 1\n";
  const Outcome outcome =
      run_program({"run", "--matrix", matrix, "--mode", "cpu", "--output", "-", "--quiet"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(nlohmann::json::parse(outcome.out).at("runs").size(), 1u);
  EXPECT_THAT(outcome.err, HasSubstr("lufact: singular cpu: singular_structural in scale: "));
}

TEST(RunCommand, GoesOnAfterABadFile) {
  const TemporaryFolder folder;
  const std::string good = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  const Outcome outcome = run_program(
      {"run", "--matrix", folder / "absent.mtx" + "," + good, "--mode", "cpu", "--output", output});
  EXPECT_EQ(outcome.status, 3);
  const auto runs = checked_result(output).at("runs");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs.at(1).at("outcome"), "ok");
}

TEST(RunCommand, SaysWhyADeviceModeCannotRun) {
  const auto doctor = nlohmann::json::parse(run_program({"doctor", "--json"}).out);
  if (!doctor.at("device").is_null()) GTEST_SKIP() << "this machine has a CUDA device";
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  const Outcome outcome =
      run_program({"run", "--matrix", matrix, "--mode", "ooc,cpu", "--output", output});
  EXPECT_EQ(outcome.status, 3);
  const auto runs = checked_result(output).at("runs");
  EXPECT_EQ(runs.at(0).at("outcome"), "unsupported");
  EXPECT_FALSE(runs.at(0).at("error").at("message").get<std::string>().empty());
  EXPECT_EQ(runs.at(1).at("outcome"), "ok");
  const Outcome automatic = run_program({"run", "--matrix", matrix, "--output", output});
  EXPECT_EQ(automatic.status, 0) << automatic.err;
  const auto run = checked_result(output).at("runs").at(0);
  EXPECT_EQ(run.at("mode"), "fast-cpu");
  EXPECT_EQ(run.at("pipeline").at("choices").at(0).at("chosen"), "fast-cpu");
}

TEST(RunCommand, ReportsAStructurallySingularMatrix) {
  const TemporaryFolder folder;
  std::ofstream(folder / "s.mtx") << "%%MatrixMarket matrix coordinate real general\n"
                                     "3 3 4\n1 1 1\n2 1 1\n3 1 1\n1 2 5\n";
  const std::string output = folder / "out.json";
  const std::vector<std::string> command{"run",      "--matrix", folder / "s.mtx", "--mode", "cpu",
                                         "--output", output};
  EXPECT_EQ(run_program(command).status, 3);
  const auto run = checked_result(output).at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "singular_structural");
  EXPECT_EQ(run.at("error").at("phase"), "scale");
}

TEST(RunCommand, ATimeoutCostsOneRecord) {
  const TemporaryFolder folder;
  const std::string small = generate(folder, "small.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  const Outcome outcome =
      run_program({"run", "--matrix", large_matrix(folder) + "," + small, "--mode", "cpu",
                   "--repetitions", "40", "--timeout", "3", "--output", output});
  EXPECT_EQ(outcome.status, 3);
  const auto runs = checked_result(output).at("runs");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs.at(0).at("outcome"), "timeout");
  EXPECT_EQ(runs.at(1).at("outcome"), "ok") << runs.at(1).at("error");
}

TEST(RunCommand, AHostMemoryLimitCostsOneRecord) {
  const TemporaryFolder folder;
  const std::string output = folder / "out.json";
  const Outcome outcome = run_program({"run", "--matrix", large_matrix(folder), "--mode", "cpu",
                                       "--host-memory-limit", "100MiB", "--output", output});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(checked_result(output).at("runs").at(0).at("outcome"), "oom_host");
}

TEST(RunCommand, AKilledWorkerCostsOneRecord) {
  const TemporaryFolder folder;
  const std::string small = generate(folder, "small.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  for (const auto& [signal, outcome] : {std::pair{SIGSEGV, "error"}, {SIGKILL, "oom_host"}}) {
    Running running(folder, {"run", "--matrix", large_matrix(folder) + "," + small, "--mode", "cpu",
                             "--repetitions", "40", "--output", output});
    const pid_t worker = busy_worker(running.pid());
    ASSERT_GT(worker, 0);
    kill(worker, signal);
    EXPECT_EQ(running.wait().status, 3);
    const auto runs = checked_result(output).at("runs");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs.at(0).at("outcome"), outcome);
    EXPECT_EQ(runs.at(1).at("outcome"), "ok");
  }
}

TEST(RunCommand, AnInterruptLeavesAValidFile) {
  const TemporaryFolder folder;
  const std::string small = generate(folder, "small.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  Running running(folder, {"run", "--matrix", small + "," + large_matrix(folder), "--mode", "cpu",
                           "--repetitions", "40", "--output", output});
  ASSERT_GT(busy_worker(running.pid()), 0);
  kill(running.pid(), SIGINT);
  const Outcome outcome = running.wait();
  EXPECT_EQ(outcome.status, 130);
  EXPECT_THAT(outcome.err, HasSubstr("the same command with --resume goes on with " + output));
  const auto runs = checked_result(output).at("runs");
  EXPECT_EQ(runs.at(0).at("outcome"), "ok");
  EXPECT_EQ(runs.back().at("error").at("code"), "interrupted");
}

TEST(RunCommand, FailsAtOnceWhereTheOutputCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const Outcome outcome = run_program(
      {"run", "--matrix", matrix, "--mode", "cpu", "--output", folder / "no/such/place.json"});
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("place.json"));
}

TEST(RunCommand, WritesJsonToStandardOutputAlone) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const Outcome outcome =
      run_program({"run", "--matrix", matrix, "--mode", "cpu", "--output", "-"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(schema_violations(nlohmann::json::parse(outcome.out)), testing::IsEmpty());
}

TEST(RunCommand, SolvesRightHandSidesFromAFileAndWritesTheSolution) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.mtx") << "%%MatrixMarket matrix coordinate real general\n"
                                     "2 2 3\n1 1 2\n1 2 1\n2 2 4\n";
  std::ofstream(folder / "b.txt") << "4\n8\n";
  const Outcome outcome =
      run_program({"run", "--matrix", folder / "a.mtx", "--mode", "cpu", "--rhs-file",
                   folder / "b.txt", "--write-solution", folder / "x.mtx"});
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  std::istringstream lines(read_text(folder / "x.mtx"));
  std::string banner;
  std::getline(lines, banner);
  int rows = 0, columns = 0;
  double x1 = 0, x2 = 0;
  lines >> rows >> columns >> x1 >> x2;
  EXPECT_EQ(rows, 2);
  EXPECT_NEAR(x1, 1, 1e-14);
  EXPECT_NEAR(x2, 2, 1e-14);
}

TEST(RunCommand, WarnsWhereNothingWasVerified) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  const std::string output = folder / "out.json";
  run_program({"run", "--matrix", matrix, "--mode", "cpu", "--verify", "none", "--output", output});
  const auto run = checked_result(output).at("runs").at(0);
  EXPECT_EQ(run.at("warnings").at(0).at("code"), "unverified");
}

TEST(RunCommand, ReproducesTheIdOfARun) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "g.mtx", {"grid2d", "--nx", "5", "--ny", "5"});
  std::set<std::string> ids;
  for (const char* name : {"a.json", "b.json"}) {
    run_program({"run", "--matrix", matrix, "--mode", "cpu", "--output", folder / name});
    ids.insert(read_json(folder / name).at("runs").at(0).at("id"));
  }
  run_program(
      {"run", "--matrix", matrix, "--mode", "cpu", "--rhs", "2", "--output", folder / "c.json"});
  EXPECT_EQ(ids.size(), 1u);
  EXPECT_NE(*ids.begin(),
            read_json(folder / "c.json").at("runs").at(0).at("id").get<std::string>());
}

}  // namespace
}  // namespace lufact::test
