// SPDX-License-Identifier: BSD-3-Clause
// `lufact run --systems`, from the outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

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

// An array of NumPy of shape (rows, columns).
std::string npy(std::size_t rows, std::size_t columns, const std::vector<double>& values,
                const std::string& type = "<f8") {
  const std::string dictionary = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                                 std::to_string(rows) + ", " + std::to_string(columns) + "), }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  bytes += dictionary;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return bytes;
}

class SystemsFile : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(matrix_) << "%%MatrixMarket matrix coordinate real general\n"
                              "2 2 3\n2 2 1\n1 1 1\n2 1 1\n";
  }

  Outcome run_with(const std::string& content, const std::vector<std::string>& options) {
    std::ofstream(folder_ / "v.npy", std::ios::binary) << content;
    std::vector<std::string> words{"run",
                                   "--matrix",
                                   matrix_,
                                   "--mode",
                                   "fast-cpu",
                                   "--quiet",
                                   "--output",
                                   folder_ / "out.json",
                                   "--warmup",
                                   "0",
                                   "--repetitions",
                                   "1",
                                   "--systems-file",
                                   folder_ / "v.npy"};
    words.insert(words.end(), options.begin(), options.end());
    return run_program(words);
  }

  std::string refusal(const std::string& content, const std::vector<std::string>& options) {
    const Outcome outcome = run_with(content, options);
    EXPECT_NE(outcome.status, 0);
    if (outcome.status == 2) return outcome.err;
    const nlohmann::json run = read_json(folder_ / "out.json").at("runs").at(0);
    EXPECT_EQ(run.at("outcome"), "error");
    EXPECT_EQ(run.at("error").at("code"), "bad_matrix");
    return run.at("error").at("message");
  }

  TemporaryFolder folder_;
  std::string matrix_ = folder_ / "m.mtx";
};

// The second line is entry (1, 1), which the second system has as 0: its pivot is replaced.
TEST_F(SystemsFile, HasTheValuesOfEachInTheOrderOfLines) {
  const auto perturbed_of = [&](const std::vector<double>& values) {
    const Outcome outcome = run_with(npy(3, 3, values), {"--systems", "3"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read_json(folder_ / "out.json").at("runs").at(0).at("systems").at("perturbed");
  };
  EXPECT_EQ(perturbed_of({4, 2, 1, 5, 0, 7, 8, 3, 1}), 1);
  EXPECT_EQ(perturbed_of({4, 2, 1, 5, 1, 7, 8, 3, 1}), 0);
  EXPECT_EQ(perturbed_of({4, 2, 0, 5, 1, 0, 8, 3, 0}), 0);  // line 3 is off the diagonal
}

TEST_F(SystemsFile, OfTheMatrixItselfChangesNothing) {
  std::ofstream(matrix_) << "%%MatrixMarket matrix coordinate real general\n"
                            "2 2 3\n2 2 4\n1 1 2\n2 1 7\n";
  ASSERT_EQ(run_with(npy(2, 3, {4, 2, 7, 1, 1, 1}), {"--systems", "1", "--refactor", "2"}).status,
            0);
  const nlohmann::json given = read_json(folder_ / "out.json").at("runs").at(0);
  ASSERT_EQ(run_program({"run", "--matrix", matrix_, "--mode", "fast-cpu", "--quiet", "--output",
                         folder_ / "own.json", "--warmup", "0", "--repetitions", "1", "--systems",
                         "1", "--refactor", "2"})
                .status,
            0);
  const nlohmann::json own = read_json(folder_ / "own.json").at("runs").at(0);
  EXPECT_EQ(given.at("verification"), own.at("verification"));
  EXPECT_NE(given.at("id"), own.at("id"));
}

TEST_F(SystemsFile, IsRefusedWhereItDoesNotFit) {
  const std::vector<double> ones(9, 1);
  const std::vector<std::string> three{"--systems", "3"};
  EXPECT_THAT(refusal(npy(3, 3, ones), {}), testing::HasSubstr("give --systems K"));
  EXPECT_THAT(refusal(npy(3, 3, ones), {"--systems", "3", "--zero-diagonals", "1"}),
              testing::HasSubstr("--zero-diagonals"));
  EXPECT_THAT(refusal(npy(3, 3, ones), {"--systems", "4"}),
              testing::HasSubstr("3 sets of values, which is fewer than --systems 4"));
  EXPECT_THAT(refusal(npy(3, 2, std::vector<double>(6, 1)), three),
              testing::HasSubstr("sets of 2 values; the matrix file has 3 entry lines"));
  EXPECT_THAT(refusal(npy(3, 3, {1, 1, 1, 1, NAN, 1, 1, 1, 1}), three),
              testing::HasSubstr("set 1, value 1: nan is not finite"));
  EXPECT_THAT(refusal(npy(3, 3, ones, "<i8"), three), testing::HasSubstr("accepted: <f8, <f4"));
  EXPECT_THAT(refusal(npy(3, 3, ones).substr(0, 130), three), testing::HasSubstr("cut"));
  EXPECT_THAT(refusal("1 1 1", three), testing::HasSubstr("not an array of NumPy"));
  std::ofstream(matrix_) << "%%MatrixMarket matrix coordinate real general\n"
                            "2 2 3\n2 2 1\n1 1 1\n2 1 0\n";
  EXPECT_THAT(refusal(npy(3, 3, ones), three), testing::HasSubstr("--explicit-zeros keep"));
  EXPECT_EQ(run_with(npy(3, 3, ones), {"--systems", "3", "--explicit-zeros", "keep"}).status, 0);
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
  EXPECT_THAT(refusal({"--mode", "none", "--peer", "exec:true"}), testing::HasSubstr("--peer"));
  EXPECT_THAT(refusal({"--mode", "fast-cpu", "--write-solution", folder / "x"}),
              testing::HasSubstr("--write-solution"));
}

}  // namespace
}  // namespace lufact::test
