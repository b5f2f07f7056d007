// SPDX-License-Identifier: BSD-3-Clause
// `lufact run --systems`, from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/test/command_line.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

nlohmann::json run_systems(const std::vector<std::string>& options) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "15", "--ny", "14"});
  std::vector<std::string> words{"run",           "--matrix", matrix,     "--mode",
                                 "fast-cpu",      "--quiet",  "--output", folder / "out.json",
                                 "--repetitions", "2",        "--warmup", "0"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  const nlohmann::json result = read_json(folder / "out.json");
  EXPECT_THAT(schema_violations(result), testing::IsEmpty());
  EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty());
  return result.at("runs").at(0);
}

TEST(SystemsOption, FactorsAndVerifiesEverySystem) {
  const nlohmann::json run =
      run_systems({"--systems", "5", "--threads", "2", "--refactor", "3", "--verify", "full"});
  const nlohmann::json& systems = run.at("systems");
  EXPECT_EQ(run.at("outcome"), "ok");
  EXPECT_EQ(systems.at("count"), 5);
  EXPECT_EQ(systems.at("chunk"), 2);
  EXPECT_GT(systems.at("bytes_per_system"), 1000);
  EXPECT_EQ(systems.at("perturbed"), 0);
  EXPECT_EQ(systems.at("failed"), 0);
  EXPECT_LT(systems.at("worst").at("index"), 5);
  EXPECT_EQ(systems.at("worst").at("backward_error"), run.at("verification").at("backward_error"));
  EXPECT_GT(systems.at("systems_per_s"), 0);
  EXPECT_EQ(run.at("verification").at("matrices_checked"), 5);
  EXPECT_EQ(run.at("pipeline").at("numeric"), "cpu-multifrontal");
  EXPECT_EQ(run.at("refactor_samples").size(), 3u);
  for (const auto& phase : run.at("refactor_samples").at(0).at("phases")) {
    EXPECT_THAT(phase.at("name"), testing::AnyOf("numeric", "solve", "verify"));
  }
}

TEST(SystemsOption, TheFirstSystemIsTheFilesOwn) {
  const nlohmann::json one = run_systems({"--numeric", "cpu-multifrontal"});
  const nlohmann::json first = run_systems({"--systems", "1"});
  EXPECT_TRUE(one.at("systems").is_null());
  EXPECT_EQ(first.at("systems").at("count"), 1);
  for (const char* figure : {"backward_error", "x_norm", "componentwise_backward_error"}) {
    EXPECT_EQ(first.at("verification").at(figure), one.at("verification").at(figure)) << figure;
  }
  EXPECT_NE(first.at("id"), one.at("id"));
}

TEST(SystemsOption, CountsSystemsThatFail) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "4"});
  const Outcome outcome = run_program({"run", "--matrix", matrix, "--mode", "fast-cpu", "--quiet",
                                       "--systems", "3", "--threshold", "1e-30", "--repetitions",
                                       "1", "--warmup", "0", "--output", folder / "out.json"});
  EXPECT_EQ(outcome.status, 3);
  const nlohmann::json run = read_json(folder / "out.json").at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "inaccurate");
  EXPECT_EQ(run.at("systems").at("failed"), 3);
  EXPECT_THAT(run.at("error").at("message").get<std::string>(), testing::HasSubstr("system "));
}

TEST(SystemsOption, IsRefusedWhereItMeansNothing) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "4"});
  const auto refusal = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"run", "--matrix", matrix, "--systems", "2"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  };
  EXPECT_THAT(refusal({"--mode", "cpu"}), testing::HasSubstr("cpu-multifrontal"));
  EXPECT_THAT(refusal({"--mode", "fast-cpu", "--rhs", "2"}), testing::HasSubstr("--rhs"));
  EXPECT_THAT(refusal({"--mode", "fast-cpu", "--until", "numeric"}), testing::HasSubstr("--until"));
  EXPECT_THAT(refusal({"--mode", "none", "--peer", "klu"}), testing::HasSubstr("--peer"));
  EXPECT_THAT(refusal({"--mode", "fast-cpu", "--write-solution", folder / "x"}),
              testing::HasSubstr("--write-solution"));
}

}  // namespace
}  // namespace lufact::test
