// SPDX-License-Identifier: BSD-3-Clause
// Tests that run the program on real matrices, found through LUFACT_TEST_DATA.
#pragma once
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/test/command_line.hpp"
#include "core/report/consistency.hpp"
#include "core/report/result_schema.hpp"

namespace lufact::test {

class DataRun : public testing::Test {
 protected:
  void SetUp() override {
    const char* data = std::getenv("LUFACT_TEST_DATA");
    if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
    data_ = data;
  }

  // Names of all matrices, smallest file first.
  std::vector<std::string> matrix_names() const {
    std::vector<std::pair<std::uintmax_t, std::string>> found;
    for (const auto& file : std::filesystem::directory_iterator(data_ / "matrices")) {
      const std::string name = file.path().filename().string();
      if (!name.ends_with(".mtx.xz")) continue;
      found.emplace_back(file.file_size(), name.substr(0, name.size() - 7));
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> names;
    for (const auto& [size, name] : found) names.push_back(name);
    return names;
  }

  std::string matrix_path(const std::string& name) const {
    const auto in_golden = data_ / "golden" / (name + ".mtx.xz");
    if (std::filesystem::exists(in_golden)) return in_golden.string();
    return (data_ / "matrices" / (name + ".mtx.xz")).string();
  }

  // The runs of one invocation with one repetition and no warm-up: every mode of the first matrix,
  // then those of the next.
  nlohmann::json run_all(const std::vector<std::string>& names,
                         const std::vector<std::string>& options, int status) const {
    const std::string output = folder_ / "out.json";
    std::string paths;
    for (const std::string& name : names) {
      if (!paths.empty()) paths += ",";
      paths += matrix_path(name);
    }
    std::vector<std::string> arguments{"run",           "--matrix", paths,      "--warmup", "0",
                                       "--repetitions", "1",        "--output", output};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.status, status) << paths << ": " << outcome.err << outcome.out;
    const nlohmann::json result = read_json(output);
    EXPECT_THAT(schema_violations(result), testing::IsEmpty()) << paths;
    EXPECT_THAT(consistency_violations(result, {sparse_facts()}), testing::IsEmpty()) << paths;
    return result.at("runs");
  }

  // The first run of one invocation.
  nlohmann::json run(const std::string& name, const std::vector<std::string>& options,
                     int status) const {
    return run_all({name}, options, status).at(0);
  }

  // Every line of the golden counts: structure of LU in natural order.
  std::vector<nlohmann::json> golden() const {
    std::vector<nlohmann::json> lines;
    std::ifstream file(data_ / "golden" / "natural_order.jsonl");
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  void expect_golden(const nlohmann::json& record, const nlohmann::json& expected) const {
    const auto& factors = record.at("factors");
    EXPECT_EQ(factors.at("nnz_l"), expected.at("nnz_l_strict"));
    EXPECT_EQ(factors.at("nnz_u"), expected.at("nnz_u"));
    EXPECT_EQ(factors.at("fill_in"), expected.at("new_fill"));
    EXPECT_EQ(factors.at("flops").get<double>(), expected.at("flops").get<double>());
    const auto& levels = factors.at("levels_by_rule");
    EXPECT_EQ(levels.at("glu1"), expected.at("levels_glu1"));
    EXPECT_EQ(levels.at("exact"), expected.at("levels_exact"));
    EXPECT_EQ(levels.at("relaxed"), expected.at("levels_relaxed"));
    EXPECT_EQ(record.at("matrix").at("missing_diagonals_added"),
              expected.at("missing_diagonals_added"));
  }

  std::filesystem::path data_;
  TemporaryFolder folder_;
};

inline const std::vector<std::string> golden_options{
    "--scaling",        "none", "--ordering", "natural",
    "--explicit-zeros", "keep", "--until",    "levelize"};

inline std::vector<std::string> with(std::vector<std::string> options,
                                     const std::vector<std::string>& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

}  // namespace lufact::test
