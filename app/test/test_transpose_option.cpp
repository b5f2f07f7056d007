// SPDX-License-Identifier: BSD-3-Clause
// `lufact run --transpose`, from the outside: every numeric stage of the host that takes it against
// a plain run on the file of the transpose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "app/test/command_line.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {
namespace {

using nlohmann::json;

// The same entries with rows and columns exchanged, of a general matrix.
std::string write_transpose(const std::string& matrix, const std::string& path) {
  std::istringstream from(read_text(matrix));
  std::ofstream to(path);
  bool sized = false;
  for (std::string line; std::getline(from, line);) {
    std::istringstream words(line);
    std::string row, column, value;
    words >> row >> column >> value;
    if (line.starts_with("%") || !sized) {
      EXPECT_TRUE(!line.starts_with("%%") || line.ends_with("real general")) << line;
      sized = sized || !line.starts_with("%");
      to << line << '\n';
    } else {
      to << column << ' ' << row << ' ' << value << '\n';
    }
  }
  return path;
}

// Behind a line of sizes and comments.
std::vector<double> read_numbers(const std::string& path) {
  std::istringstream text(read_text(path));
  std::vector<double> numbers;
  bool sized = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("%")) continue;
    if (sized) numbers.push_back(std::stod(line));
    sized = true;
  }
  return numbers;
}

std::string write_rhs(const std::string& path, int n, int columns) {
  std::ofstream file(path);
  file << "%%MatrixMarket matrix array real general\n" << n << ' ' << columns << '\n';
  for (int k = 0; k < n * columns; ++k) file << std::sin(1 + 0.7 * k) << '\n';
  return path;
}

json run_one(const TemporaryFolder& folder, const std::string& matrix,
             const std::vector<std::string>& options, int status = 0) {
  std::vector<std::string> words{"run", "--matrix", matrix, "--quiet",  "--repetitions",
                                 "1",   "--warmup", "0",    "--output", folder / "out.json"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.status, status) << outcome.err << outcome.out;
  const json result = read_json(folder / "out.json");
  EXPECT_THAT(schema_violations(result), testing::IsEmpty());
  EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty());
  json run = result.at("runs").at(0);
  run["transpose"] = result.at("config").at("transpose");
  return run;
}

struct Method {
  std::string mode, solve;
};

// A mode for every numeric stage of the host that takes --transpose, with each of its solves.
std::vector<Method> methods() {
  const json list = json::parse(run_program({"list", "--json"}).out);
  std::vector<Method> found;
  for (const json& stage : list.at("stages")) {
    if (!stage.at("solves_transposed").get<bool>() || stage.at("side") != "host") continue;
    for (const json& mode : list.at("modes")) {
      if (mode.at("numeric") != stage.at("name") || !mode.at("can_run").get<bool>()) continue;
      for (const json& solve : stage.at("solve_methods")) found.push_back({mode.at("name"), solve});
      break;
    }
  }
  return found;
}

// Where the plain solutions of the transpose are, those with --transpose are too.
void expect_solutions_of_transpose(const TemporaryFolder& folder, const std::string& matrix, int n,
                                   int columns, const std::vector<std::string>& options) {
  const std::string turned = write_transpose(matrix, folder / "turned.mtx");
  const std::string rhs = write_rhs(folder / "rhs.mtx", n, columns);
  std::vector<std::string> words{"--rhs-file", rhs, "--write-solution", folder / "x.mtx"};
  words.insert(words.end(), options.begin(), options.end());
  run_one(folder, turned, words);
  const std::vector<double> expected = read_numbers(folder / "x.mtx");
  words.push_back("--transpose");
  const json run = run_one(folder, matrix, words);
  EXPECT_EQ(run.at("outcome"), "ok");
  EXPECT_EQ(run.at("transpose"), true);
  const std::vector<double> actual = read_numbers(folder / "x.mtx");
  ASSERT_EQ(actual.size(), static_cast<std::size_t>(n * columns));
  ASSERT_EQ(expected.size(), actual.size());
  double size = 0;
  for (const double value : expected) size = std::max(size, std::abs(value));
  for (std::size_t k = 0; k < actual.size(); ++k) {
    ASSERT_NEAR(actual[k], expected[k], 1e-8 * size) << "entry " << k;
  }
}

TEST(TransposeOption, IsTakenByEveryNumericStageOfTheHost) {
  std::vector<std::string> modes;
  for (const Method& method : methods()) modes.push_back(method.mode);
  EXPECT_THAT(modes, testing::IsSupersetOf({"cpu", "glu3-cpu", "fast-cpu"}));
}

TEST(TransposeOption, SolvesWhatAPlainRunOnTheTransposeSolves) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "circuit.mtx", {"circuit", "--n", "300"});
  for (const Method& method : methods()) {
    for (const int columns : {1, 3, 40}) {
      for (const char* precision : {"double", "float"}) {
        SCOPED_TRACE(method.mode + " " + method.solve + " " + precision);
        expect_solutions_of_transpose(
            folder, matrix, 300, columns,
            {"--mode", method.mode, "--solve", method.solve, "--scaling", "mc64", "--precision",
             precision, "--threshold", "1e-10", "--threads", "2"});
      }
    }
  }
}

TEST(TransposeOption, VerifiesRefactorsAndChangesTheId) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "random.mtx", {"random", "--n", "200"});
  for (const Method& method : methods()) {
    SCOPED_TRACE(method.mode + " " + method.solve);
    std::vector<std::string> options{"--mode", method.mode, "--solve", method.solve, "--rhs",
                                     "5",      "--verify",  "full",    "--refactor", "2"};
    const json plain = run_one(folder, matrix, options);
    options.push_back("--transpose");
    const json run = run_one(folder, matrix, options);
    EXPECT_EQ(plain.at("transpose"), false);
    EXPECT_EQ(run.at("transpose"), true);
    EXPECT_NE(plain.at("id"), run.at("id"));
    EXPECT_TRUE(run.at("verification").at("passed").get<bool>());
    EXPECT_EQ(run.at("factors").at("values_sha256"), plain.at("factors").at("values_sha256"));
    EXPECT_NE(run.at("verification").at("backward_error"),
              plain.at("verification").at("backward_error"));
  }
}

// Ones of either sign in a band, zeros on the diagonal: pivots change places, and come later.
std::string write_signs(const TemporaryFolder& folder, int n) {
  std::string path = folder / "signs.mtx";
  std::ostringstream entries;
  unsigned state = 1;
  int count = 0;
  for (int j = 1; j <= n; ++j) {
    for (int i = std::max(1, j - 30); i <= std::min(n, j + 30); ++i) {
      state = state * 1664525U + 1013904223U;
      if (i == j || (state >> 28) % 3 == 0) continue;
      entries << i << ' ' << j << ' ' << (state >> 31 == 0 ? 1 : -1) * (1 + (state >> 20) % 7)
              << '\n';
      ++count;
    }
  }
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n"
                      << n << ' ' << n << ' ' << count << '\n'
                      << entries.str();
  return path;
}

TEST(TransposeOption, UndoesExchangedRows) {
  const TemporaryFolder folder;
  const std::string matrix = write_signs(folder, 150);
  for (const int columns : {1, 6}) {
    expect_solutions_of_transpose(folder, matrix, 150, columns,
                                  {"--mode", "fast-cpu", "--scaling", "none", "--pivoting",
                                   "diagonal-block", "--threads", "2"});
    const json run = read_json(folder / "out.json").at("runs").at(0);
    EXPECT_GT(run.at("numeric").at("exchanged_rows"), 0);
  }
}

TEST(TransposeOption, SolvesWithPivotsThatWereDelayed) {
  const TemporaryFolder folder;
  const std::string matrix = write_signs(folder, 150);
  expect_solutions_of_transpose(
      folder, matrix, 150, 2,
      {"--mode", "fast-cpu", "--scaling", "none", "--threshold", "1e-12", "--threads", "2"});
  const json run = read_json(folder / "out.json").at("runs").at(0);
  EXPECT_GT(run.at("numeric").at("replans"), 0);
}

TEST(TransposeOption, IsOfPeersWhoseLibraryHasIt) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "random.mtx", {"random", "--n", "100"});
  const json klu = run_one(folder, matrix, {"--mode", "none", "--peer", "klu", "--transpose"});
  EXPECT_EQ(klu.at("outcome"), "ok");
  const json program =
      run_one(folder, matrix, {"--mode", "none", "--peer", "exec:true", "--transpose"}, 3);
  EXPECT_EQ(program.at("outcome"), "unsupported");
  EXPECT_EQ(program.at("error").at("code"), "no_transposed_solve");
}

TEST(TransposeOption, IsRefusedWhereItMeansNothing) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "4"});
  const auto refusal = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"run", "--matrix", matrix, "--transpose"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  };
  EXPECT_THAT(refusal({"--mode", "glu3"}),
              testing::AllOf(testing::HasSubstr("--transpose: --numeric gpu-dense cannot"),
                             testing::HasSubstr("cpu-multifrontal")));
  EXPECT_THAT(refusal({"--mode", "cpu", "--until", "numeric"}), testing::HasSubstr("--until"));
  EXPECT_THAT(refusal({"--mode", "fast-cpu", "--systems", "2"}), testing::HasSubstr("--systems"));
  EXPECT_THAT(refusal({"--mode", "cpu", "--refactor", "1", "--phases", "events"}),
              testing::HasSubstr("--phases events: --numeric cpu cannot"));
  EXPECT_THAT(refusal({"--mode", "cpu", "--refactor", "1", "--values", "device"}),
              testing::HasSubstr("--values device: --numeric cpu cannot"));
}

// Where there is no device the run ends as unsupported: its options are right all the same.
TEST(TransposeOption, GoesWithRefactorizationsOfProgramsOnTheGpu) {
  const TemporaryFolder folder;
  const std::string matrix = generate(folder, "grid.mtx", {"grid2d", "--nx", "5", "--ny", "4"});
  for (const char* phases : {"waits", "events", "none"}) {
    const Outcome outcome =
        run_program({"run", "--matrix", matrix, "--transpose", "--mode", "fast", "--levelize",
                     "task-graph", "--numeric", "gpu-multifrontal", "--refactor", "1", "--values",
                     "device", "--phases", phases, "--output", folder / "out.json"});
    EXPECT_THAT(outcome.status, testing::AnyOf(0, 3)) << outcome.err;
  }
}

}  // namespace
}  // namespace lufact::test
